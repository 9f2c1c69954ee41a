# Two promises: on a fresh machine with Python 3.11 or newer, `make demo` and `make test` work from a clone as it is.
# A stamp in .venv remembers what is installed, so that both are quick when there is nothing to set up.

PYTHON := .venv/bin/python
DEPENDENCIES := pyproject.toml constraints.txt .ci/setup

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test lint bench soak setup clean

help: ## list what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-6s %s\n", $$1, $$2}' Makefile

demo: .venv/.ready-base ## dream over a bundled conversation, without a key, and show what was learned and why
	@sh examples/demo.sh

test: lint .venv-hermes/.ready ## run everything that CI runs: lint, types and tests
	$(PYTHON) -m pytest -n 2 --dist loadfile

lint: .venv/.ready-dev ## check style, format and types
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m pyright

bench: .venv/.ready-dev ## measure speed and quality; the figures land in benchmarks/out
	$(PYTHON) -m benchmarks

soak: .venv/.ready-dev ## run the long kill, load and fuzzing tests
	$(PYTHON) -m pytest -m soak --timeout 3600
	HYPOTHESIS_PROFILE=soak $(PYTHON) -m pytest tests/laws --timeout 0

setup: .venv/.ready-dev ## install HyMem and its tools for development into .venv

clean: ## remove .venv, caches and whatever else was made here
	rm -rf .venv .venv-hermes .pytest_cache .ruff_cache .hypothesis build dist benchmarks/out
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.venv/.ready-base: $(DEPENDENCIES)
	@.ci/setup .
	@touch $@

.venv/.ready-dev: $(DEPENDENCIES)
	@.ci/setup '.[dev]'
	@touch .venv/.ready-base $@

.venv-hermes/.ready: pyproject.toml .ci/hermes-agent.txt .ci/setup-hermes
	@.ci/setup-hermes
	@test ! -d .venv-hermes || touch $@
