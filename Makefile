# Everything works from a fresh clone with Python 3.11+, a C compiler and make: each target sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
NATIVE := $(wildcard evaluator/turkpoker/evaluator/*.pyx evaluator/turkpoker/evaluator/*.pxi evaluator/turkpoker/evaluator/*.pxd evaluator/turkpoker/evaluator/*.h evaluator/turkpoker/evaluator/*.c)
DATA ?= $(HOME)/.local/share/turkpoker

.PHONY: help setup run demo test test-slow lint format protos bench load clean

help:  ## what there is
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F':.*## ' '{printf "  make %-10s %s\n", $$1, $$2}'

setup: $(STAMP)  ## make .venv, install, compile

$(STAMP): pyproject.toml $(NATIVE)
	@test -x $(BIN)/python || { $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "turkpoker needs Python 3.11 or newer (make PYTHON=/path/to/python3.11)" >&2; exit 2; }; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

run: $(STAMP)  ## serve tables on localhost:50051 with an embedded Redis
	@exec $(BIN)/turkpoker serve

demo: $(STAMP)  ## bots play 50 hands on a server of their own
	@exec $(BIN)/turkpoker demo --hands 50

lint: $(STAMP)  ## formatting, lint, types, layers, stubs
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	MYPYPATH=evaluator:service:clients/python $(BIN)/python -m mypy.stubtest --mypy-config-file pyproject.toml turkpoker.evaluator._kernels turkpoker.evaluator._draws
	$(MAKE) -C protos check

format: $(STAMP)  ## let ruff rewrite what it can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

test: lint  ## lint, then every test but the slow ones
	$(BIN)/python -m pytest -m "not slow"

test-slow: $(STAMP)  ## whole enumerations and long runs
	$(BIN)/python -m pytest -m slow

protos: $(STAMP)  ## regenerate the committed Python stubs
	$(MAKE) -C protos generate

bench: $(STAMP)  ## measure the evaluator against its ceiling and its peers
	$(BIN)/python tests/bench/bench_evaluator.py

load: $(STAMP)  ## a short, bounded Locust run against a server it starts itself
	$(BIN)/python tests/load/run.py

clean:  ## remove the virtual environment and everything built
	rm -rf $(VENV) build dist *.egg-info
	find evaluator -name '*.so' -delete
