# Two targets set everything up on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SAMPLE := fixtures/trails/et000000000

.PHONY: demo test check format bench fixtures docs clean

demo: $(VENV)/.base
	$(BIN)/logdump -c 'open $(SAMPLE); ghdr on; detail data; ggstoken detail; next 4; count detail'

test: $(VENV)/.test
	$(BIN)/python -m pytest -n 2

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[bulk]'
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.bulk

fixtures: $(VENV)/.base
	$(BIN)/python -m fixtures.generate

docs: $(VENV)/.base
	$(BIN)/python -m scripts.update_docs

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/.base

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.test $(VENV)/.base

clean:
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
