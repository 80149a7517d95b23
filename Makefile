# Two commands are the whole set-up: `make demo` and `make test`. Each installs what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Exact versions, so that a machine set up in a year has what was tested here. `make clean test CONSTRAINTS=` tries the newest.
CONSTRAINTS ?= constraints.txt

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_CONSTRAINT := $(CONSTRAINTS)
# For what builds the package; older pips take the line above for that too.
export PIP_BUILD_CONSTRAINT := $(CONSTRAINTS)

# Published networks that the tests and the demonstration run: fetched once, into the user's cache.
WEIGHTS := tinyvit dinov2 smollm2

.PHONY: setup test lint demo serve wheel browser weights clean

setup: $(STAMP)

# The product, the adapters of its writer and its laboratory, all as they stand here.
$(STAMP): pyproject.toml adapters/pyproject.toml lab/pyproject.toml $(CONSTRAINTS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev]' --editable adapters --editable lab
	touch $@

# The pages are tested in a real browser, and for accessibility with axe-core. Installing them needs root and apt, and
# npm; elsewhere those tests skip and say so.
browser: $(VENV)/.browser $(VENV)/axe

$(VENV)/.browser: | $(STAMP)
	command -v chromium >/dev/null || { test "$$(id -u)" = 0 && command -v apt-get >/dev/null && \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null 2>&1; } || \
	  echo "no chromium and no way to install it: browser tests will skip"
	touch $@

$(VENV)/axe: | $(STAMP)
	mkdir -p $@
	command -v npm >/dev/null && npm install --silent --no-audit --no-fund --prefix $@ axe-core@4.10 >/dev/null 2>&1 || \
	  echo "no npm, or no axe-core from it: the test of accessibility will skip"

# What is in the cache already is only checked; without a network the error says which file belongs where.
weights: $(VENV)/.weights

$(VENV)/.weights: Makefile src/cookscribe/encoders/weights.py | $(STAMP)
	$(BIN)/cookscribe weights get $(WEIGHTS)
	touch $@

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# One thread a process, those that tests start included: two workers keep two cores busy, more only wait for each other.
test: lint browser weights
	OMP_NUM_THREADS=1 $(BIN)/pytest -n 2 --dist loadfile -q

# A drawn video that no model learnt from, its recipe beside the truth, and the page in demo/.
demo: setup weights
	$(BIN)/cookscribe kitchen demo --out demo

# The web application on this machine, with the recipes of cookscribe-library/.
serve: setup
	$(BIN)/cookscribe serve

# The wheel, without extras in an empty environment that is gone afterwards, writes two recipes. Takes some minutes.
wheel: setup
	$(BIN)/python tests/check_wheel.py

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache
