"""`python -m serving.cli`: the command line where no script of that name is installed, and in child processes."""

from serving.cli.main import run

run()
