# Everything here needs Python 3.11 or later with its venv module, and make; neither uv nor Node.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SOURCES := app resolver_runtime sample_tools tests benchmarks hatch_build.py

PYTHON ?= $(shell for candidate in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$candidate -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	&& echo $$candidate && break; done)

.PHONY: help install run test lint bench load soak fuzz clean chromium constraints

help:
	@echo "make install   .venv with everything, $(BIN)/playground included"
	@echo "make run       install, then the playground with the sample tools"
	@echo "make test      install, then all tests, the browser's too"
	@echo "make lint      ruff and mypy --strict"
	@echo "make bench     the table of measured numbers"
	@echo "make load      50 browsers, each a call a second for a minute"
	@echo "make soak      half an hour of calls, stops, edits and kills; MINUTES=5 for less"
	@echo "make fuzz      the property tests, with many more examples"
	@echo "make clean     removes what the other targets made"

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt hatch_build.py package-lock.json app/assets.py
	@test -n "$(PYTHON)" || { echo "No Python 3.11 or later with venv was found." \
	  "Install one (Debian: apt install python3-venv), or name it: make install PYTHON=/path/to/python3"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@$(BIN)/python -m app.assets
	@touch $@

run: install
	$(BIN)/playground serve sample_tools

test: install chromium
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy

bench: install
	$(BIN)/python -m benchmarks

load: install
	$(BIN)/python -m benchmarks load

MINUTES ?= 30
soak: install
	$(BIN)/python -m benchmarks.soak $(MINUTES)

fuzz: install
	$(BIN)/python -m pytest -p tests.profiles -m hypothesis --hypothesis-profile fuzz --hypothesis-show-statistics

# Only Debian and its relatives can be helped here: elsewhere the sentence says what to do.
chromium:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null \
	|| command -v google-chrome >/dev/null || { \
	  sudo=; test "$$(id -u)" = 0 || sudo="sudo -n"; \
	  command -v apt-get >/dev/null && { test -z "$$sudo" || sudo -n true 2>/dev/null; } \
	  && $$sudo apt-get update --quiet && $$sudo apt-get install --quiet --yes chromium; \
	} || { echo "The browser tests need Chromium, and it could not be installed from here." \
	  "Install it so that 'chromium' is on the PATH (Debian: apt install chromium), and run make test again."; exit 1; }

# A new set of tested versions: only names and numbers, no addresses.
constraints:
	rm -rf build/constraints
	$(PYTHON) -m venv build/constraints
	build/constraints/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev]'
	build/constraints/bin/python -m pip freeze --exclude-editable > constraints.txt
	rm -rf build/constraints

clean:
	rm -rf $(VENV) build dist static/lib node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
