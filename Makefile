# make run · make dev · make test · make lint · make check · make bench · make chaos · make fuzz · make mutations · make docs · make lock
PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes
SELF := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
HOST ?= 127.0.0.1
PORT ?= 8000
# This module always uses PostgreSQL, so it runs in the second pass only.
MANY := tests/runner/test_many_workers.py
# Malformed requests: PostgreSQL refuses some values that SQLite accepts.
ODD := tests/fuzz/test_requests.py::test_odd_requests_are_refused_in_words
CANVAS := $(shell find frontend_static/src -type f 2>/dev/null) $(wildcard frontend_static/*.json frontend_static/*.ts)

.PHONY: run dev test lint check bench chaos fuzz mutations docs types openapi lock clean

run: .make/run .make/canvas
	$(BIN)/python -m signalbox serve --host $(HOST) --port $(PORT)

# Restarts the server and updates the canvas when a file changes.
dev: .make/dev .make/packages
	$(BIN)/python scripts/dev.py --host $(HOST) --port $(PORT)

# Bytecode of tests is kept, because compiling takes half of the start-up time.
test: export PYTHONDONTWRITEBYTECODE =
test: .make/dev .make/canvas
	scripts/chromium.sh
	$(BIN)/python -m pytest -q -n 2 --dist loadfile --no-loadscope-reorder tests --ignore tests/browser --ignore $(MANY)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -p tests.support.postgresql_plugin tests/runner tests/api tests/live/test_hub.py $(ODD)
	DJANGO_ALLOW_ASYNC_UNSAFE=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/browser
	scripts/node.sh run --silent test

lint: .make/dev .make/canvas
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/prose
	$(BIN)/python -m scripts.reference --check
	scripts/node.sh run --silent check

check: lint test

bench: .make/dev .make/canvas
	scripts/node.sh run --silent bench
	$(BIN)/python -m bench

# Kills servers and workers at random moments, then checks the logs of their runs.
chaos: .make/dev .make/canvas
	$(BIN)/python -m tests.chaos --queue embedded
	$(BIN)/python -m tests.chaos --queue procrastinate

# Many generated requests to every operation of the API, with a new seed each time.
fuzz: .make/dev
	FUZZ=100 $(BIN)/python -m pytest -q -n 2 tests/fuzz

# Applies each mutation of tests/mutations in a clone; a test must fail for each.
mutations: .make/dev .make/canvas
	$(BIN)/python scripts/mutations.py

# Update the generated parts of the docs.
docs: .make/dev
	$(BIN)/python -m scripts.reference

# Types of the canvas follow the API: the OpenAPI document first, then TypeScript from it.
openapi: .make/dev
	$(BIN)/python manage.py spectacular --file docs/openapi.yaml --validate --fail-on-warn
	scripts/node.sh run --silent types

# Pins all requirements with hashes; needs pip-tools on PATH.
lock:
	for name in requirements requirements-dev requirements-node requirements-bench; do \
	    pip-compile --quiet --strip-extras --generate-hashes --allow-unsafe --no-header \
	        --no-emit-index-url --no-emit-trusted-host --no-emit-find-links \
	        $$name.in --output-file $$name.txt || exit 1; \
	done

clean:
	rm -rf .make frontend_static/dist frontend_static/node_modules

.make/venv:
	@mkdir -p .make
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Signalbox needs Python 3.11 or newer; set PYTHON=… to one.")'
	$(PYTHON) -m venv .venv
	@touch $@

.make/run: requirements.txt | .make/venv
	$(PIP) -r requirements.txt
	$(SELF)
	@touch $@

.make/dev: requirements-dev.txt requirements.txt | .make/venv
	$(PIP) -r requirements-dev.txt
	$(SELF)
	@touch $@ .make/run

.make/packages: frontend_static/package-lock.json | .make/venv
	scripts/node.sh ci --silent --no-audit --no-fund
	@touch $@

.make/canvas: .make/packages $(CANVAS)
	scripts/node.sh run --silent build
	@touch $@
