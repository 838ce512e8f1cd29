# make demo   sets up and shows what Evenhand does, on synthetic data
# make test   sets up and runs the tests: a few minutes, with a smoke test of each heavy part
# make verify what takes longer, up to half an hour: simulations, Spark, PostgreSQL, encoders, fuzzers, notebooks
# make check  style, types, layers and documentation
# make docs   builds the documentation into build/site; index.html there opens offline
# make pictures  takes the pictures of reports and of the desk again (needs Chromium)
# make bench  speed and memory beside what people use today, as one table of ratios; fails where a promise is broken
# make model  trains the default model again (needs EVENHAND_DATA)
# make compared  the default model beside its peer, for its card (needs EVENHAND_DATA)
# make reproduced  reproduces the papers again, with the data in EVENHAND_DATA; with RUNS=FOLDER of runs by
#             models/collaboration.py also the paper that needs them
# make locks  writes the hashes of what constraints.txt pins again, from the package index (needs uv); those of torch by hand
# make sbom   writes the bill of materials of the wheel again, from locks/server.txt (CycloneDX)
# make study  long simulations, and mutants of the code that counts; their results are committed under studies/results
# With LOCKED=no, on a machine or from an index for which no hash is known, versions are pinned and hashes are not checked.
PYTHON ?= python3
VENV ?= .venv
BENCH_VENV ?= .venv-bench
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
LOCKED ?= yes
CONSTRAINED := $(PIP) --constraint constraints.txt
# A lock names all that is needed: with its dependencies looked up again, pip takes a newer release of `name[extra]`.
HASHED := $(if $(filter yes,$(LOCKED)),$(PIP) --require-hashes --no-deps --requirement,true)
LOCK := uv pip compile --quiet --upgrade --universal --python-version 3.11.5 --generate-hashes --no-annotate \
  --constraint constraints.txt --overrides locks/overrides.in --no-emit-package torch --no-emit-package setuptools \
  --custom-compile-command "make locks" pyproject.toml

.PHONY: demo test verify check docs pictures bench compared locks sbom model reproduced study clean

demo: $(VENV)/.demo
	$(BIN)/evenhand demo

test: $(VENV)/.browser
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 -m "not verify"

verify: $(VENV)/.browser
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 -m verify

check: $(VENV)/.test docs
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q -m "not verify" tests/contracts

docs: $(VENV)/.test
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

pictures: $(VENV)/.browser
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

locks:
	$(LOCK) locks/build.in --output-file locks/demo.txt
	$(LOCK) --extra postgres --output-file locks/server.txt
	$(LOCK) locks/build.in locks/torch.in --extra test --extra check --extra docs --output-file locks/test.txt

sbom: $(VENV)/.test
	$(BIN)/python -m docs.generated.sbom

study: $(VENV)/.study
	$(BIN)/python -m studies

clean:
	rm -rf $(VENV) $(BENCH_VENV) build evenhand-demo evenhand-report

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.demo: $(VENV)/bin/python pyproject.toml constraints.txt locks/demo.txt
	$(HASHED) locks/demo.txt
	$(CONSTRAINED) --requirement locks/build.in
	$(CONSTRAINED) --no-build-isolation --editable .
	@touch $@

$(VENV)/.test: $(VENV)/.demo locks/test.txt locks/torch.txt locks/torch_cpu.txt
	$(HASHED) locks/test.txt
	$(HASHED) locks/torch_cpu.txt 2>/dev/null || $(HASHED) locks/torch.txt
	$(CONSTRAINED) --no-build-isolation --editable ".[test,check,docs]"
	@touch $@

# A browser for the tests of the pages; without a connection `make test` goes on, and `make verify` says what is missing.
$(VENV)/.browser: $(VENV)/.test locks/browser.toml
	-@$(BIN)/python tests/browser/packages.py && touch $@

$(VENV)/.study: $(VENV)/.test
	@touch $@

$(BENCH_VENV)/.bench: benchmarks/peers/requirements.txt
	$(PYTHON) -m venv $(BENCH_VENV)
	$(BENCH_VENV)/bin/python -m pip --disable-pip-version-check install --quiet --requirement benchmarks/peers/requirements.txt
	@touch $@
