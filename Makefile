# Each target does all of its own set-up: Python 3.11+ and the package registry are enough.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test check slow clean

demo: .venv/base.ok
	$(BIN)/renvoi demo -o demo --force

test: .venv/dev.ok
	$(BIN)/python -m pytest

slow: .venv/dev.ok
	$(BIN)/python -m pytest -m slow

check: .venv/dev.ok
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest --doctest-modules src -W error -m "not slow"

.venv/base.ok: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/dev.ok: .venv/base.ok
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[test,dev,web,llm]"
	touch $@

clean:
	rm -rf .venv demo
