# Everything a contributor needs. `make help` lists the targets.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK := requirements.lock
JOBS ?= auto

.DEFAULT_GOAL := help
.PHONY: help setup demo test check format lint types fast vectors stores bench pictures hosts test-matrix test-vscode lock clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(VENV)/.tools ## make .venv with the package and every tool of the tests

demo: $(VENV)/.package ## show the main job end to end on sample sessions
	@$(BIN)/dsh-lsp demo

test: check hosts ## the whole suite: format, lint, types, and every test
	$(BIN)/python -m pytest -n $(JOBS) tests

check: lint types ## format check, lint and types

format: $(VENV)/.tools ## format the Python code
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

lint: $(VENV)/.tools ## format check and lint
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.tools ## strict type check
	$(BIN)/mypy

fast: format check ## a contributor's loop, under a minute: format, lint, types, unit tests
	$(BIN)/python -m pytest -n $(JOBS) tests/core tests/sessions tests/harness tests/test_*.py

vectors: $(VENV)/.tools ## run the golden vectors (DIR=folder for others)
	$(BIN)/python tests/run_vectors.py $(or $(DIR),tests/vectors)

stores: $(VENV)/.tools ## check recorded session stores: make stores DIR=folder
	$(BIN)/python tests/run_stores.py $(DIR)

hosts: $(VENV)/.tools ## install the real hosts that the tests talk to
	$(BIN)/python -m tests.hosts.install

test-matrix: $(VENV)/.tools ## long runs against real hosts of every release
	$(BIN)/python -m tests.hosts.install --matrix
	$(BIN)/python -m pytest -n $(JOBS) -m matrix tests

test-vscode: $(VENV)/.tools ## the extension in a real VS Code (needs Debian's chromium and g++)
	$(BIN)/python tests/run_vscode.py

bench: $(VENV)/.tools ## measure speed and scale, as ratios; a quarter of an hour
	@$(BIN)/python -m tests.benchmarks

pictures: $(VENV)/.tools ## take the pictures of the documentation
	$(BIN)/python tests/pictures.py

lock: ## renew requirements.lock from pyproject.toml
	rm -rf build && $(PYTHON) -m venv build/lock
	build/lock/bin/python -m pip install --quiet --upgrade pip
	build/lock/bin/python -m pip install --quiet -e . --group test --group lint
	build/lock/bin/python -m pip freeze --all --exclude-editable > $(LOCK)

clean: ## remove .venv and everything built
	rm -rf $(VENV) .hosts build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	rm -rf editors/vscode/node_modules editors/vscode/out tests/editors/*/node_modules

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dsh-lsp needs Python 3.11 or newer: make PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.package: $(BIN)/python pyproject.toml $(LOCK)
	$(PIP) install --constraint $(LOCK) --upgrade pip
	$(PIP) install --constraint $(LOCK) --editable .
	@touch $@

$(VENV)/.tools: $(VENV)/.package
	$(PIP) install --constraint $(LOCK) --group test --group lint
	@touch $@
