# Two commands to begin with: `make demo` (a site with graded answers) and `make test`.
SHELL := /bin/bash
PORT ?= 8000
HOST ?= 127.0.0.1
PY := .venv/bin/python
# By file, so that what a file's tests share is made once; a grading waits for the host's lock, whoever runs beside it.
PARALLEL := -n auto --maxprocesses 4 --dist loadfile
# Byte code that is not kept is compiled again by each worker of each run.
unexport PYTHONDONTWRITEBYTECODE
QUICK := not slow and not browser and not chaos and not engine and not environment and not fuzz

.PHONY: help setup demo up test test-all test-postgres test-environment lint format lock bench bench-coverage bench-queue bench-upload bench-pages bench-demo bench-load mutants clean

help:            ## show these targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 18

setup:           ## everything for work on the project: packages, tools, chart library
	@scripts/setup.sh dev

demo:            ## a site with real answers being graded: make demo PORT=8000
	@scripts/setup.sh $(if $(PRIME_DOUBLE),dev,site)
	@exec $(PY) $(if $(PRIME_DOUBLE),scripts/with_prime_double.py $(PY)) manage.py supervise --demo --host $(HOST) --port $(PORT)

up:              ## the same site without the demo's answers
	@scripts/setup.sh site
	@exec $(PY) manage.py supervise --host $(HOST) --port $(PORT)

test: setup      ## the quick tests
	@$(PY) -m pytest $(PARALLEL) -m "$(QUICK)" $(ARGS)

test-all: setup  ## all tests: browser, chaos, engines, environment, fuzz
	@scripts/install_test_tools.sh
	@scripts/test_all.sh $(ARGS)

test-postgres: setup ## the quick tests on a PostgreSQL that is made for them
	@$(PY) scripts/with_postgres.py $(PY) -m pytest $(PARALLEL) -m "$(QUICK)" $(ARGS)

test-environment: setup ## the verifiers environment, run by verifiers itself in a virtual environment of its own
	@scripts/setup_environment.sh >/dev/null
	@$(PY) -m pytest -m environment $(ARGS)

lint: setup      ## ruff, mypy, layers, lock files, C warnings
	@scripts/lint.sh

format: setup    ## rewrite the Python as ruff wants it
	@$(PY) -m ruff check --fix-only --quiet .
	@$(PY) -m ruff format --quiet .

lock: setup      ## write the lock files again from pyproject.toml
	@$(PY) scripts/lock.py $(ARGS)

mutants: setup   ## do the small tests notice wrong sources? All kernels, or make mutants KERNEL=dot_f32 (up to 10 minutes a kernel)
	@$(PY) -m tests.mutants $(KERNEL)

bench: setup     ## the grader's own overhead, by stage
	@$(PY) bench/overhead.py $(ARGS)

bench-coverage: setup ## how often the intervals hold the true value, by simulation (3 minutes)
	@$(PY) -m bench.coverage $(ARGS)

bench-pages: setup ## server time and queries of every page with 100,000 results (4 minutes)
	@$(PY) -m bench.pages $(ARGS)

bench-queue: setup ## answers per minute on 1, 2 and 4 sandboxes of a double (4 minutes)
	@$(PY) bench/queue.py $(ARGS)

bench-upload: setup ## 500 MB with 100,000 answers, imported while pages are read (8 minutes, 5 GB of disk)
	@$(PY) bench/big_bundle.py $(ARGS)

bench-demo: setup ## how soon a new site shows a board of models: quiet, or ARGS=--busy (5 to 20 minutes)
	@$(PY) bench/first_minutes.py $(ARGS)

bench-load: setup ## 200 readers beside an import, gradings and clients that drip, on the server as it was and as it is (8 minutes)
	@$(PY) -m bench.load $(ARGS)

clean:           ## remove all that the tools made, the site's data included
	rm -rf .venv var node_modules build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
