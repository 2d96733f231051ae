# Two commands on a fresh machine with Python 3.11 and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export DAGSTER_DISABLE_TELEMETRY := yes
PORT ?= 3000
ROOT := $(abspath $(or $(CONTRACT_GATE_ROOT),data))
HOME_OF_DAGSTER := $(ROOT)/.dagster$(addprefix -,$(CONTRACT_GATE_ENV))

.PHONY: demo test dev check format schema reference docs reset bench bench-peers

demo: $(VENV)/.installed
	$(BIN)/python -m contract_assets.demo

test: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n auto --dist loadgroup

# Each environment has a Dagster home of its own: what is switched on in one says nothing about another.
ifndef CONTRACT_GATE_ENV
dev: export CONTRACT_GATE_ROOT := $(ROOT)
endif
dev: $(VENV)/.installed
	mkdir -p $(HOME_OF_DAGSTER)
	printf 'telemetry: {enabled: false}\nnux: {enabled: false}\n' > $(HOME_OF_DAGSTER)/dagster.yaml
	@echo "open http://127.0.0.1:$(PORT) once it is served; Ctrl-C ends it"
	DAGSTER_HOME=$(HOME_OF_DAGSTER) $(BIN)/dagster dev --host 127.0.0.1 --port $(PORT)

check: $(VENV)/.installed-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/contract-gate lint data/contracts
	$(BIN)/python -m pytest -n auto --dist loadgroup

format: $(VENV)/.installed-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

schema: $(VENV)/.installed
	$(BIN)/contract-gate schema > data/schema/contract.schema.json

# The pages that are written from the code.
reference: $(VENV)/.installed
	$(BIN)/python -m contract_core.reference docs/reference

# The documentation as a site: open .site/index.html.
docs: $(VENV)/.installed-docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

# Ours and the others side by side, a table for each question: `make bench ROWS=10000000`; the peers once `make bench-peers` has made
# their environments. One question alone: `python -m benchmarks.<name>`, with the names of the files.
PEERS := dataframely pointblank great_expectations datacontract
ROWS ?= 1000000
ROUNDS ?= 5
bench: $(VENV)/.installed-test
	for each in "validation $(if $(wildcard .bench/dataframely),--peers)" taking quarantine publication; do \
	  echo && echo "== $$each" && $(BIN)/python -m benchmarks.$$each --rows $(ROWS) --rounds $(ROUNDS) || exit 1; done
	for each in memory contracts start_up definitions partition_run ledger; do \
	  echo && echo "== $$each" && $(BIN)/python -m benchmarks.$$each || exit 1; done

bench-peers: $(PEERS:%=.bench/%/.installed)

.bench/%/.installed: benchmarks/requirements-%.txt
	$(PYTHON) -m venv .bench/$*
	.bench/$*/bin/python -m pip install --quiet --disable-pip-version-check --requirement $<
	touch $@

# Forgets all that the examples have published and recorded.
reset:
	rm -rf data/candidates data/published data/quarantine data/ledger data/registry data/.dagster*

$(VENV)/bin/python:
	@echo "making a virtual environment in $(VENV)"
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml constraints.txt $(VENV)/bin/python
	@echo "installing into $(VENV): a minute or two, once"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable .
	touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[test]"
	touch $@

$(VENV)/.installed-docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[docs]"
	touch $@
