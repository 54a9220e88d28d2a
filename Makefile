# SPDX-License-Identifier: Apache-2.0
# The commands people type. The build itself is Meson's (meson.build); this file calls it.
#
#   BUILD=folder     build elsewhere than in build/
#   MESON_ARGS=...   options of meson setup when the folder is made (meson_options.txt has ours)
#   JOBS=n           compiler processes at once
#   TIER=quick|test|full   how much of the tests
#   TESTS=words      only tests whose path has one of the words
BUILD ?= build
MESON_ARGS ?=
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 60
TESTS ?=
export JOBS
.DEFAULT_GOAL := all
.PHONY: all build deps demo test interop peers bench lint format asan ubsan asan-ubsan tsan torture \
        cross fuzz leaks nightly cover install dist wheel python-api clean help

CONFIGURE = tools/configure.sh
CLANG = $(if $(shell command -v ccache),ccache )clang-14
RUN_TESTS = python3 tools/run_tests.py
SANITIZED = -Db_lundef=false -Dasserts=true -Darchive=false -Doptimization=1 $(MESON_ARGS)

all: ## build into build/: lib/, bin/, include/, examples/
	@tools/deps.sh build test
	@$(CONFIGURE) $(BUILD) $(MESON_ARGS)

build: all

deps: ## install every Debian package that any target needs
	@tools/deps.sh all

demo: ## build the library and the command, then train the demo's models on real data
	@tools/deps.sh build test
	@TARGETS=bin/leat $(CONFIGURE) $(BUILD) $(MESON_ARGS)
	@$(BUILD)/bin/leat demo $(DEMO_ARGS)

test: all ## build, then run the tests
	@$(RUN_TESTS) $(BUILD) --tier $(or $(TIER),test) $(TESTS)

interop: all ## compare with TensorFlow 1.15.5 itself (needs PyPI and a Python 3.7), clusters with 2.15.1 too
	@python3 tools/peers.py tf1
	@$(if $(filter quick,$(TIER)),:,python3 tools/peers.py tf2 || true)
	@python3 tests/interop/run.py --build $(BUILD) --tier $(or $(TIER),test)

peers: ## install what we measure against into build/peers (PEERS=all: PyTorch too)
	@tools/deps.sh build peers
	@python3 tools/peers.py $(if $(filter all,$(PEERS)),all,tf1 tf2 jax)

bench: all ## measure every case beside the peers that are there
	@tools/deps.sh peers
	@ninja -C $(BUILD) bench_programs
	@python3 bench/run.py --build $(BUILD) $(BENCH_ARGS)

lint: all ## format, layers, sizes, headers alone, exported symbols
	@tools/deps.sh lint
	@python3 tools/lint.py $(BUILD)

format: ## let clang-format rewrite the sources
	@git ls-files -z -co --exclude-standard '*.c' '*.h' '*.inc' | xargs -0 clang-format-14 -i

asan: ## tests (quick tier) under the address sanitizer
	@tools/deps.sh build test sanitize
	@CC="$(CLANG)" $(CONFIGURE) build-asan -Db_sanitize=address $(SANITIZED)
	@$(RUN_TESTS) build-asan --tier $(or $(TIER),quick) --slow 3 $(TESTS)

ubsan: ## tests (quick tier) under the undefined-behaviour sanitizer
	@tools/deps.sh build test sanitize
	@CC="$(CLANG)" $(CONFIGURE) build-ubsan -Db_sanitize=undefined $(SANITIZED)
	@$(RUN_TESTS) build-ubsan --tier $(or $(TIER),quick) --slow 3 $(TESTS)

asan-ubsan: ## both sanitizers in one build
	@tools/deps.sh build test sanitize
	@CC="$(CLANG)" $(CONFIGURE) build-asan-ubsan -Db_sanitize=address,undefined $(SANITIZED)
	@$(RUN_TESTS) build-asan-ubsan --tier $(or $(TIER),quick) --slow 3 $(TESTS)

tsan: ## tests under the thread sanitizer
	@tools/deps.sh build test sanitize
	@CC="$(CLANG)" $(CONFIGURE) build-tsan -Db_sanitize=thread $(SANITIZED)
	@$(RUN_TESTS) build-tsan --tier $(or $(TIER),quick) --slow 5 --wrap 'setarch -R' $(TESTS)

torture: ## tiny limits, failing n-th allocations, shuffled scheduling
	@tools/deps.sh build test sanitize
	@CC="$(CLANG)" $(CONFIGURE) build-torture -Dtorture=true -Db_sanitize=address,undefined $(SANITIZED)
	@python3 tools/torture.py build-torture $(TESTS)

cross: ## libc-only build for aarch64, its unit tests under qemu-user
	@tools/deps.sh build cross
	@$(CONFIGURE) build-aarch64 --cross-file tools/cross/aarch64-linux-gnu.ini -Dauto_features=disabled $(MESON_ARGS)
	@$(RUN_TESTS) build-aarch64 --tier quick --slow 10 \
	    --wrap 'qemu-aarch64 -L /usr/aarch64-linux-gnu' $(or $(TESTS),tests/unit tests/ops)

fuzz: ## run every fuzz target for FUZZ_SECONDS
	@tools/deps.sh build test sanitize
	@CC="$(CLANG)" $(CONFIGURE) build-fuzz -Dfuzzing=true -Db_sanitize=address,undefined $(SANITIZED)
	@python3 tools/run_fuzz.py build-fuzz --seconds $(FUZZ_SECONDS) $(TESTS)

leaks: all ## what the Python tests leave behind when they are run again and again
	@PYTHONPATH=python LEAT_PYTHON_CORE=$(BUILD)/python $(or $(LEAT_PYTHON),/usr/bin/python3) \
	    tests/python/leaks.py $(filter-out %/test_leaks.py,$(wildcard tests/python/test_*.py))

cover: ## line coverage of the tests, as text and build-cover/coverage.html
	@tools/deps.sh build test cover
	@$(CONFIGURE) build-cover -Db_coverage=true -Doptimization=0 -Darchive=false
	@$(RUN_TESTS) build-cover --tier $(or $(TIER),quick) --slow 3 $(TESTS) || true
	@gcovr -r . --object-directory build-cover -f src/ --html build-cover/coverage.html

nightly: ## all of it, in full
	@tools/run_steps.sh "test=make test TIER=full" "lint=make lint" "asan=make asan TIER=full" \
	    "ubsan=make ubsan TIER=full" "tsan=make tsan TIER=full" "torture=make torture" \
	    "cross=make cross" "fuzz=make fuzz FUZZ_SECONDS=600" "interop=make interop TIER=full" \
	    "leaks=make leaks && echo 1 passed, 0 failed, 0 skipped" \
	    "soak=LEAT_SOAK_SECONDS=1800 make test TIER=full TESTS=faults-test_soak" \
    "bench=make bench && echo 1 passed, 0 failed, 0 skipped"

install: all ## install under PREFIX (DESTDIR is respected)
	@meson configure $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=lib
	@meson install -C $(BUILD)

dist: all ## Debian packages libleat0, libleat-dev, leat and python3-leat into build/dist/
	@python3 tools/make_deb.py $(BUILD) $(BUILD)/dist

wheel: all ## a wheel for pip, with the library in it, into build/dist/
	@python3 tools/make_wheel.py $(BUILD) $(BUILD)/dist

python-api: all ## what of TensorFlow's Python interface is there: build/docs/python-api.md
	@python3 tools/gen_python_api.py $(BUILD)

clean: ## remove the build folders
	rm -rf build build-*

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
