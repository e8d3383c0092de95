# Two commands do everything: `make demo` and `make test`. Both install what they need into .venv, once.
VENV   ?= .venv
PYTHON ?= python3
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test test-slow check format lock bench budgets site clean

demo: $(VENV)/.site
	$(BIN)/rexrank demo

test: $(VENV)/.all
	$(BIN)/python -m pytest -n 2 --dist worksteal

test-slow: $(VENV)/.all
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "slow and not gpu and not weights"

check: $(VENV)/.all
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/zizmor --offline --quiet .github
	$(BIN)/actionlint .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms $(filter-out %config.yml,$(wildcard .github/ISSUE_TEMPLATE/*.yml))

# Exact versions with hashes for the workflows, from pyproject.toml and constraints.txt. Needs the network and uv.
LOCK := uv pip compile --quiet -c constraints.txt --only-binary :all: --generate-hashes --no-header --no-annotate \
        --no-emit-index-url --python-version 3.11.9 --python-platform x86_64-manylinux_2_28 pyproject.toml

lock:
	$(LOCK) requirements/build.in -o requirements/check.txt
	$(LOCK) requirements/build.in --extra site -o requirements/site.txt
	$(LOCK) requirements/build.in requirements/score.in -o requirements/score.txt
	for file in requirements/*.txt; do sed -i '1i # Exact versions and hashes; `make lock` writes it. Installed with --require-hashes.\n--only-binary :all:' $$file; done

format: $(VENV)/.all
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.all
	$(BIN)/python -m benchmarks

# Every budget of the site beside its limit, in a real browser; fails if one is broken. About ten minutes.
budgets: $(VENV)/.all
	npm --prefix tests/browser ci --no-audit --no-fund --silent
	$(BIN)/python -m benchmarks.budgets

site: $(VENV)/.site
	$(BIN)/rexrank build

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# A stamp per set of packages: nothing is installed again until a pin or a requirement changes.
$(VENV)/.site: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[site]'
	@touch $@

$(VENV)/.all: pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -e '.[site,encoders,ratescore,ray,dev]'
	$(PIP) --no-deps PyRuSH==1.0.13 medspacy==1.3.1
	@touch $@ $(VENV)/.site

clean:
	rm -rf $(VENV) build dist site *.egg-info .pytest_cache .mypy_cache .ruff_cache
