# Two commands on a fresh machine with Python 3.11 and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export DAGSTER_DISABLE_TELEMETRY := yes

.PHONY: demo test dev check format schema clean

demo: $(VENV)/.installed
	$(BIN)/python -m contract_assets.demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest

dev: $(VENV)/.installed
	mkdir -p .dagster && printf 'telemetry: {enabled: false}\n' > .dagster/dagster.yaml
	DAGSTER_HOME=$(CURDIR)/.dagster $(BIN)/dagster dev --host 127.0.0.1

check: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/contract-gate lint data/contracts
	$(BIN)/python -m pytest

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: $(VENV)/.installed
	$(BIN)/contract-gate schema > data/schema/contract.schema.json

clean:
	rm -rf data/candidates data/published data/quarantine data/ledger data/registry .dagster build

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	touch $@
