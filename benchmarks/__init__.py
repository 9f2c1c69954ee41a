"""How fast HyMem is: every figure measured in the run that prints it, beside the baseline that it is compared with."""
