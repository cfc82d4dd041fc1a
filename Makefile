# Everything a person does here. Each target sets up what it needs; a second call is quick.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
VERSION := $(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
CONSTRAINTS := .ci/constraints-$(VERSION).txt

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-all test-image check systems docs bench bench-search notebooks \
    soak trust replay contract-live clean

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(VENV)/ready  ## the environment in .venv

# uv resolves and installs in seconds what pip takes minutes for; it lives in .venv, too.
$(VENV)/ready: pyproject.toml $(CONSTRAINTS)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode \
	    --constraint $(CONSTRAINTS) --editable '.[dev]'
	touch $@

demo: setup  ## tune the digits classifier on this machine: 16 trials, the best one explained
	$(BIN)/vertex-jobs demo
	@echo "to have vertex-jobs as a command of this shell: source $(VENV)/bin/activate" >&2

# Two files at a time, as much of a test is waiting for processes that it has started; in their own
# order, so that the long files of few tests do not come last.
test: check  ## lint, types, import layers, and a test of everything that it does
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

test-all: test  ## the same, then the training systems, generated pages and campaigns in short
	$(BIN)/python -m pytest --numprocesses 2 --dist load -m 'extended and not slow'

# Images of one's own have an older TensorFlow, too: 2.17 is the last of Google's prebuilt ones, and
# Keras 3.12 the last for its Python 3.10.
IMAGE_BIN := .venv-image/bin
test-image: setup  ## the runtime and training over two processes, with TensorFlow 2.17
	test -x $(IMAGE_BIN)/python || $(PYTHON) -m venv .venv-image
	$(BIN)/uv pip install --quiet --python $(IMAGE_BIN)/python 'tensorflow==2.17.*' \
	    'keras==3.12.*' 'tf_keras==2.17.*' 'tensorboard==2.17.*' scikit-learn argparse-dataclass \
	    cloudml-hypertune==0.1.0.dev6 pytest pytest-timeout
	PYTHONPATH=. $(IMAGE_BIN)/python -m pytest -p no:cacheprovider -m 'not slow' \
	    tests/unit/runtime

check: setup  ## lint, types and import layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

systems: setup  ## every training system on Local Vertex: a table with time and final metric; then each bare
	$(BIN)/python tests/systems/training_systems.py
	$(BIN)/python -m pytest -m slow tests

docs: setup  ## write again each page and file that a program makes; tests hold them current
	$(BIN)/python tests/docs/check_rules.py
	$(BIN)/python tests/docs/config_pages.py
	$(BIN)/python tests/docs/fidelity.py
	$(BIN)/python tests/docs/mistakes.py
	$(BIN)/python tests/systems/training_systems.py --page
	$(BIN)/python tests/unit/requests/golden_requests.py

# What is measured against is installed beside; it is large (torch, Ray).
bench: setup  ## every claim about speed beside its peers; writes docs/benchmarks.md; an hour
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode \
	    --constraint $(CONSTRAINTS) --editable '.[dev,bench]'
	$(BIN)/python benchmarks/run.py --write docs/benchmarks.md

# Open-source Vizier wants a JAX of its own. Each size of a study is compiled anew: gigabytes, which
# a process for each function and batch gives back; on disk the programs serve the next seed.
VIZIER_BIN := .venv-vizier/bin
VIZIER_RUN := PYTHONPATH=. OMP_NUM_THREADS=1 JAX_COMPILATION_CACHE_DIR=.venv-vizier/programs \
    JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS=0 $(VIZIER_BIN)/python
VIZIER_FUNCTIONS := branin hart6 levy4 mixed noisy_hart6 noisy_mixed
bench-search: setup  ## the search engine's regret beside its peers; writes docs/search.md; hours
	$(BIN)/uv pip install --quiet --python $(BIN)/python --compile-bytecode \
	    --constraint $(CONSTRAINTS) --editable '.[dev,bench]'
	test -x $(VIZIER_BIN)/python || $(PYTHON) -m venv .venv-vizier
	$(BIN)/uv pip install --quiet --python $(VIZIER_BIN)/python 'google-vizier[jax]==0.1.24' \
	    'jax==0.5.3' scipy
	for batch in 1 10; do for function in $(VIZIER_FUNCTIONS); do \
	    $(VIZIER_RUN) benchmarks/search.py --engines vizier --functions $$function \
	        --batches $$batch --results benchmarks/search_results.jsonl || exit 1; \
	done; done
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/search_cost.py \
	    --results benchmarks/search_cost.jsonl
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/search.py --write docs/search.md \
	    --results benchmarks/search_results.jsonl --cost benchmarks/search_cost.jsonl

# The notebooks' own environment has what their programs import. It also runs their jobs, so the
# data that stands in for downloads is imported at the start of each of its Pythons.
NOTEBOOKS_BIN := .venv-notebooks/bin
notebooks: setup  ## submission cells of public notebooks, unmodified: FROM=DIR of repositories; hours
	@test -n "$(FROM)" || { \
	    echo "give a folder of repositories, checkouts or mirrors: make notebooks FROM=DIR"; exit 2; }
	test -x $(NOTEBOOKS_BIN)/python || $(PYTHON) -m venv .venv-notebooks
	$(BIN)/uv pip install --quiet --python $(NOTEBOOKS_BIN)/python --compile-bytecode \
	    --constraint $(CONSTRAINTS) --editable '.[notebooks]'
	echo "import sys; sys.path.append('$(CURDIR)/tests/notebooks'); import notebook_data" \
	    > $(NOTEBOOKS_BIN)/../lib/python$(VERSION)/site-packages/notebook_data.pth
	$(NOTEBOOKS_BIN)/python tests/notebooks/notebooks.py $(FROM)

soak: setup  ## a long campaign: kills at random instants, many jobs at once, lost workers
	$(BIN)/python benchmarks/soak.py
	$(BIN)/python benchmarks/lost_worker.py
	CRASH_STRIDE=1 $(BIN)/python -m pytest --timeout 3600 tests/faults/test_submit_once.py -k killed

INPUTS ?= 10000
trust: setup  ## attack every way in with INPUTS inputs each, by a fresh SEED; what went wrong, in a table
	$(BIN)/python tests/trust/campaign.py --inputs $(INPUTS) $(if $(SEED),--seed $(SEED))

# The conformance suite against the real service. BUDGET is a ceiling in US dollars over what every
# job could cost at worst; what was said is written, sanitised, to RECORD, for `make replay`.
LOCATION ?= us-central1
BUCKET ?= $(PROJECT)-vertex-jobs-contract
RECORD ?= contract-exchanges
contract-live: setup  ## the contract suite on Vertex AI: PROJECT=… BUDGET=… [LOCATION= BUCKET= RECORD=]
	@test -n "$(PROJECT)" -a -n "$(BUDGET)" || { \
	    echo "give a project and a ceiling in US dollars: make contract-live PROJECT=… BUDGET=…"; \
	    exit 2; }
	VERTEX_JOBS_CONTRACT_PROJECT=$(PROJECT) VERTEX_JOBS_CONTRACT_BUDGET=$(BUDGET) \
	VERTEX_JOBS_CONTRACT_LOCATION=$(LOCATION) VERTEX_JOBS_CONTRACT_BUCKET=$(BUCKET) \
	VERTEX_JOBS_CONTRACT_RECORD=$(abspath $(RECORD)) \
	    $(BIN)/python -m pytest --confcutdir tests/contract --timeout 7200 tests/contract

RECORDED ?= tests/contract/recorded
replay: setup  ## recorded answers of the service against those of Local Vertex: a table [RECORDED=]
	$(BIN)/python tests/contract/replay.py $(RECORDED)

clean:  ## remove the environment and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
