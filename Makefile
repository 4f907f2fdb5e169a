# Every target sets up what it needs: a virtual environment in .venv, kept up to date with pyproject.toml.
# The demo needs only foragers itself; tests and checks add the packages of the extra `dev`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.ready-dev
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo chromium test check gate bench clean

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
		{ echo "make: cannot create a virtual environment; on Debian: apt-get install python3-venv"; exit 1; }
	@echo "make: installing foragers into $(VENV) (only once)"
	@$(PIP) --upgrade pip
	@$(PIP) --editable '.[plots]'
	@touch $@

$(DEV): $(READY)
	@echo "make: installing what tests and checks need into $(VENV) (only once)"
	@$(PIP) --editable '.[dev]'
	@touch $@

demo: $(READY)       ## compare strategies on a generated web, and show what came out
	@$(BIN)/foragers demo

# The tests of --render need a browser, and are skipped where there is none and none can be had.
chromium:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || \
		[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || \
		{ APT="timeout 300 apt-get -qq -y -o Acquire::Retries=0 -o Acquire::http::Timeout=10"; \
		export DEBIAN_FRONTEND=noninteractive; \
		$$APT install --no-install-recommends chromium || \
		{ $$APT update && $$APT install --no-install-recommends chromium; }; } >/dev/null 2>&1 || \
		echo "make: no Chromium to be had; tests that need one are skipped"

test: $(DEV) chromium  ## all tests
	$(BIN)/python -m pytest -n 2 tests

check: $(DEV)      ## style, types, house rules
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/house

gate: $(DEV)       ## quality floors that may only rise
	$(BIN)/python -m pytest tests/gates

bench: $(DEV)      ## speed and memory, as ratios against a bare loop in the same run
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV)
