"""How well what was said is found again: LoCoMo and BEAM, messages against the evidence, category by category."""
