# Thin front for CMake, pip, lit and pytest. `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILD := build
ACCEPTANCE_DIR ?= ../shared/acceptance
CMAKE := $(BIN)/cmake
NINJA := $(BIN)/ninja
JOBS ?= $(shell nproc)

.PHONY: help setup configure build demo test test-unit test-lit test-python \
        test-acceptance bench lint format docs clean

help:
	@echo "make setup   install what is missing (Debian packages as root, Python packages into $(VENV))"
	@echo "make build   configure and build everything"
	@echo "make demo    build, then compile, run, check and profile kernels on the simulated chip"
	@echo "make test    build, then all tests"
	@echo "make bench   build, then the benchmarks"
	@echo "make lint    formatting and static checks"
	@echo "make format  rewrite sources in the project's format"
	@echo "make docs    build the documentation into site/"
	@echo "make clean   remove build products"

setup:
	@PYTHON="$(PYTHON)" scripts/setup.sh

$(BUILD)/build.ninja: CMakeLists.txt CMakePresets.json | setup
	@$(CMAKE) --preset dev -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(NINJA)

configure: setup $(BUILD)/build.ninja

build: configure
	@$(NINJA) -C $(BUILD)
	@scripts/install-editable.sh

demo: build
	@$(BIN)/python examples/demo.py

test: build test-unit test-lit test-python test-acceptance

test-unit: build
	@$(BIN)/ctest --test-dir $(BUILD) --output-on-failure -E '^lit$$' -j $(JOBS)

test-lit: build
	@$(NINJA) -C $(BUILD) check-tilelang-lit

test-python: build
	@$(BIN)/python -m pytest -q -n $(JOBS) python/tests

test-acceptance: build
	@programs=$$(ls "$(ACCEPTANCE_DIR)"/*_programs.py 2> /dev/null); \
	[ -n "$$programs" ] || echo "no acceptance programs in $(ACCEPTANCE_DIR): skipped"; \
	for program in $$programs; do $(BIN)/python "$$program" ascend || exit 1; done

bench: build
	@for program in benchmarks/*.py; do echo "$$program:"; $(BIN)/python "$$program" || exit 1; done

lint: configure
	@scripts/lint.sh

format: setup
	@scripts/format.sh

docs: build
	@$(NINJA) -C $(BUILD) tilelang-docs
	@$(BIN)/python scripts/collect_docs.py
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

clean:
	@rm -rf $(BUILD) build-release site
