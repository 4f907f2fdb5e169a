# Every target sets up what it needs: a virtual environment in .venv, kept up to date with pyproject.toml.
# The demo needs only foragers itself; tests and checks add the packages of the extra `dev`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo chromium postgresql test test-all-pythons options docs release check gate bench clean

$(READY): pyproject.toml setup.py $(shell find src -name '_*.c')
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "make: cannot create a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "make: installing foragers into $(VENV) (only once)"
	@$(PIP) --upgrade pip
	@$(PIP) --editable .
	@touch $@

$(DEV): $(READY)
	@echo "make: installing what tests and checks need into $(VENV) (only once)"
	@$(PIP) --editable '.[dev]'
	@touch $@

demo: $(READY)       ## compare strategies on a generated web, and show what came out
	@$(BIN)/foragers demo

# The tests of --render need a browser, those of --ledger a PostgreSQL; they are skipped if none can be
# installed.
chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || $(call debian,chromium)

postgresql:
	@command -v initdb >/dev/null || ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || \
		$(call debian,postgresql)

define debian
[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
		{ APT="timeout 300 apt-get -qq -y -o Acquire::Retries=0 -o Acquire::http::Timeout=10"; \
		export DEBIAN_FRONTEND=noninteractive; \
		$$APT install --no-install-recommends $(1) || \
		{ $$APT update && $$APT install --no-install-recommends $(1); }; } >/dev/null 2>&1 || \
		echo "make: $(1) cannot be installed; tests that need it are skipped"
endef

test: $(DEV) chromium postgresql  ## all tests but the gates
	$(BIN)/python -m pytest -n 2 --dist loadfile --ignore tests/gates tests

# Each Python has a virtual environment of its own beside .venv; one that is not there is left out.
test-all-pythons:    ## the tests on every Python that we claim
	@for python in python3.11 python3.12 python3.13; do \
		if $$python -c '' 2>/dev/null; then \
			echo "make: testing on $$python"; \
			$(MAKE) --no-print-directory test PYTHON=$$python VENV=.venv-$$python || exit 1; \
		else echo "make: no $$python here; not tested"; fi; \
	done

options: $(DEV)    ## write the tables of options in the docs, and the keywords of crawl, anew
	PYTHONPATH=tests $(BIN)/python -m support.made_from_options

docs: $(DEV)       ## the documentation site, in site/; a warning is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

release: $(DEV)    ## build and try what a release would publish; nothing is published
	$(BIN)/python packaging/release.py

check: $(DEV)      ## style, types, house rules
	$(BIN)/ruff check src tests benchmarks examples website packaging
	$(BIN)/ruff format --check src tests benchmarks examples website packaging
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/house

gate: $(DEV)       ## quality floors that may only rise
	$(BIN)/python -m pytest -n 2 --dist loadfile tests/gates

bench: $(DEV)      ## speed and memory, as ratios against a bare loop in the same run
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) .venv-python3.*
