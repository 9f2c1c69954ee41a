"""The command line: a module for each command, and how all of them read options, print, and fail."""
