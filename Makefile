# make demo   sets up and shows what Evenhand does, on data it makes up
# make test   sets up and runs the tests
# make check  style, types, layers and documentation
# make docs   builds the documentation into build/site; index.html there opens offline
# make pictures  takes the pictures of reports again (needs Chromium)
# make bench  speed and memory beside what people use today, as one table of ratios; fails where a promise is broken
# make model  trains the default model again (needs EVENHAND_DATA)
# make compared  the default model beside its peer, for its card (needs EVENHAND_DATA)
# make reproduced  reproduces the papers again, with the data in EVENHAND_DATA; with RUNS=FOLDER of runs by
#             models/collaboration.py also the paper that needs them
# make study  long simulations, and mutants of the code that counts; their results are committed under studies/results
PYTHON ?= python3
VENV ?= .venv
BENCH_VENV ?= .venv-bench
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.PHONY: demo test check docs pictures bench compared model reproduced study clean

demo: $(VENV)/.demo
	$(BIN)/evenhand demo

test: $(VENV)/.test
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2

check: $(VENV)/.test docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/contracts

docs: $(VENV)/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

pictures: $(VENV)/.demo
	$(BIN)/python -m docs.pictures.take

bench: $(VENV)/.demo $(BENCH_VENV)/.bench
	$(BIN)/python -m benchmarks --write --peers $(BENCH_VENV)/bin/python

compared: $(VENV)/.demo $(BENCH_VENV)/.bench
	$(BIN)/python -m models.compared --peers $(BENCH_VENV)/bin/python

model: $(VENV)/.demo
	$(BIN)/python -m models.default

reproduced: $(VENV)/.demo
	for paper in bias calibration accuracy perspective; do \
	  $(BIN)/evenhand reproduce $$paper --data "$(EVENHAND_DATA)" --out reproduced/$$paper || exit 1; done
	if [ -n "$(RUNS)" ]; then $(BIN)/evenhand reproduce collaboration --data "$(RUNS)" --out reproduced/collaboration; fi

study: $(VENV)/.study
	$(BIN)/python -m studies

clean:
	rm -rf $(VENV) $(BENCH_VENV) build evenhand-demo evenhand-report

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.demo
	$(PIP) --editable ".[test,check,docs]"
	@touch $@

$(VENV)/.study: $(VENV)/.test
	$(PIP) --editable ".[study]"
	@touch $@

$(BENCH_VENV)/.bench: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --requirement benchmarks/peers/requirements.txt
	@touch $@
