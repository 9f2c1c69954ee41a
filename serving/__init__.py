"""How memory is reached: recall, the command line and the servers, all of them through `serving.memory.HyMem`."""
