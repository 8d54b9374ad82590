# make run · make dev · make wheel · make site · make test · make test-all · make lint · make check · make bench · make chaos · make attacks · make fuzz · make mutations · make docs · make sbom · make audit · make lock
PYTHON ?= python3
BIN := .venv/bin
# The locks name every package. pip looks for no others, so a new release of one changes nothing.
# Python compiles what is imported; all modules together take longer than their installation.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile --require-hashes
SELF := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
HOST ?= 127.0.0.1
PORT ?= 8000
PYTEST := $(BIN)/python -m pytest -q --dist loadfile --no-loadscope-reorder
# Each part prints its output when it ends, because two run at the same time.
PART = @echo "$@: started, see .make/$@.log"; \
    $(1) > .make/$@.log 2>&1; status=$$?; echo "$@:"; cat .make/$@.log; exit $$status
TESTS := not slow
# Tests that depend on the database: queue, locks, many processes, and odd requests.
DATABASE_TESTS := $(addprefix tests/runner/,test_approvals.py test_connection_pool.py test_giving_up.py test_many_workers.py test_procrastinate.py test_queue.py) \
    tests/api/test_idempotent_start.py tests/live/test_hub.py tests/cli/test_backup.py
# One process, because making the tables takes as long as a third of these tests.
DATABASE_PROCESSES := 0
ODD_REQUESTS := tests/fuzz/test_requests.py::test_odd_requests_are_refused_with_a_message
CANVAS := $(shell find frontend_static/src -type f 2>/dev/null) $(wildcard frontend_static/*.json frontend_static/*.ts)
DEMO := $(wildcard frontend_static/demo/*) frontend_static/demoPython.mjs $(shell find workflows/core workflows/demo workflows/opened_packs scripts/demo -type f -not -name '*.pyc' 2>/dev/null)

# Two targets at the same time: packages of pip and npm, plain tests and browser tests. A part of the
# tests that fails does not stop the others.
MAKEFLAGS += --jobs=2 --keep-going
.PHONY: run dev test test-all test-plain test-browser test-postgresql test-canvas .make/programs lint lint-python lint-canvas check bench chaos attacks fuzz mutations docs sbom audit types openapi lock wheel site clean

# Bytecode is kept, because compiling takes half of the start-up time.
run dev test test-all: export PYTHONDONTWRITEBYTECODE =

run: .make/run .make/canvas
	$(BIN)/python -m signalbox serve --host $(HOST) --port $(PORT)

# Restarts the server and updates the canvas when a file changes.
dev: .make/dev .make/packages
	$(BIN)/python scripts/dev.py --host $(HOST) --port $(PORT)

# For each change: everything once. tests/README.md explains the kinds of tests.
test: test-plain test-browser test-postgresql test-canvas

# Before a release: the crossings too, every seed, random kills, the server suites on PostgreSQL.
test-all: TESTS := not quick
test-all: DATABASE_PROCESSES := 2
test-all: DATABASE_TESTS := tests/runner tests/api tests/live/test_hub.py tests/cli/test_backup.py $(ODD_REQUESTS)
test-all: .make/demo test-plain test-browser test-postgresql test-canvas mutations

test-plain test-browser test-postgresql test-canvas: .make/programs .make/dev .make/canvas

test-plain:
	$(call PART,$(PYTEST) -n 2 -p no:playwright tests --ignore tests/browser -m "$(TESTS)")

# Each worker has a server and a Chromium, whose start takes as long as four journeys.
test-browser:
	$(call PART,DJANGO_ALLOW_ASYNC_UNSAFE=1 $(PYTEST) -n 2 tests/browser -m "$(TESTS)")

test-postgresql:
	$(call PART,$(PYTEST) -n $(DATABASE_PROCESSES) -p no:playwright -p tests.support.postgresql_plugin -m "$(TESTS)" $(DATABASE_TESTS))

test-canvas:
	$(call PART,scripts/node.sh run --silent test)

lint: lint-canvas lint-python

lint-python: .make/dev .make/packages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python scripts/prose
	$(BIN)/python -m scripts.reference --check

lint-canvas: .make/packages
	scripts/node.sh run --silent check

check: test lint

bench: .make/bench .make/canvas
	scripts/test_programs.sh
	$(BIN)/python -m bench

# Kills servers and workers at random moments, then checks the logs of their runs.
chaos: .make/dev .make/canvas
	$(BIN)/python -m tests.chaos --queue embedded
	$(BIN)/python -m tests.chaos --queue procrastinate

# Attacks on a live server, with its memory and the answers to other users measured.
attacks: .make/dev .make/canvas
	ATTACKS=1 $(PYTEST) -n 0 -s -p no:playwright tests/attacks

# Many mutated packs and generated requests, with a new seed each time. Memory is limited, because
# a mutated pack may ask for any amount. FILES=100000 takes about half an hour of processor time.
FILES ?= 20000
fuzz: .make/dev
	ulimit -v 8000000 && nice $(BIN)/python -m tests.fuzz.packs --files $(FILES)
	nice $(BIN)/python -m tests.fuzz.packs --guided --files $(FILES)
	nice $(PYTEST) -n 2 --hypothesis-profile random tests/core tests/engine tests/dialects
	FUZZ=100 nice $(PYTEST) -n 2 tests/fuzz

# Applies each mutation of tests/mutations in a clone; a test must fail for each.
mutations: .make/dev .make/canvas
	$(BIN)/python scripts/mutations.py

# Update the generated parts of the docs.
docs: .make/dev
	$(BIN)/python -m scripts.reference

# Bills of materials of a release, in dist/. docs/releasing.md has the steps of a release.
sbom: .make/dev .make/packages
	$(BIN)/python -m scripts.sbom

# The wheels of a release, in dist/: `signalboxd` with pages and canvas, and `signalbox-cli`.
wheel: .make/run .make/canvas
	rm -rf distributions/cli/build
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ./distributions/cli

# The documentation as a folder of static files, in dist/site; the app has the same pages in /help/.
site: .make/dev .make/canvas .make/demo
	$(BIN)/python -m scripts.site

# Compares locked versions with advisories that are on this machine: make audit ADVISORIES="FILE…"
audit: .make/dev
	@test -n "$(ADVISORIES)" || { echo 'Name the files: make audit ADVISORIES="PyPI.zip npm.zip"' >&2; exit 2; }
	$(BIN)/python -m scripts.audit $(ADVISORIES)

# Types of the canvas follow the API: the OpenAPI document first, then TypeScript from it.
openapi: .make/dev
	$(BIN)/python manage.py spectacular --file docs/openapi.yaml --validate --fail-on-warn
	scripts/node.sh run --silent types

# Pins all requirements with hashes; needs pip-tools on PATH.
# Without rfc3987-syntax, which an extra of the bills of materials asks for: it builds 39 parsers when
# jsonschema is imported, one second in each process of the tests.
LOCK := pip-compile --quiet --strip-extras --generate-hashes --unsafe-package rfc3987-syntax --no-header \
    --no-emit-index-url --no-emit-trusted-host --no-emit-find-links
lock:
	$(LOCK) --all-extras pyproject.toml --output-file requirements.txt
	for name in requirements-dev requirements-node requirements-bench; do \
	    $(LOCK) $$name.in --output-file $$name.txt || exit 1; \
	done

clean:
	rm -rf .make frontend_static/dist frontend_static/dist-demo frontend_static/node_modules

# Phony, because a program can be removed.
.make/programs:
	scripts/test_programs.sh

.make/venv:
	@mkdir -p .make
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Signalbox needs Python 3.11 or newer; set PYTHON=… to one.")'
	$(PYTHON) -m venv .venv
	@scripts/node.sh node --version >/dev/null  # Installs Node before pip and npm run.
	@touch $@

.make/run: requirements.txt | .make/venv
	$(PIP) -r requirements.txt
	$(SELF)
	$(BIN)/python -m pip check --quiet --disable-pip-version-check
	@touch $@

.make/dev: requirements-dev.txt requirements.txt | .make/venv
	$(PIP) -r requirements-dev.txt
	$(SELF)
	$(BIN)/python -m pip check --quiet --disable-pip-version-check
	@touch $@ .make/run

# Peers of the benchmarks.
.make/bench: requirements-bench.txt .make/dev
	$(PIP) -r requirements-bench.txt
	@touch $@

.make/packages: frontend_static/package-lock.json | .make/venv
	scripts/node.sh ci --silent --no-audit --no-fund
	@touch $@

# The demo page of the site: the canvas, and the core in Pyodide.
.make/demo: .make/dev .make/packages $(CANVAS) $(DEMO)
	scripts/node.sh run --silent build:demo
	$(BIN)/python -m scripts.demo.sources .make/demo.zip
	scripts/node.sh node demoPython.mjs ../.make/demo.zip dist-demo/python
	@touch $@

.make/canvas: .make/packages $(CANVAS)
	scripts/node.sh run --silent build
	@touch $@
