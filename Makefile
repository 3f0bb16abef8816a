# The front door. `make demo` and `make test` do everything on a fresh Debian 12 machine, packages included.
.PHONY: setup command build cuda wheel-cuda demo docs install test format check-format sanitize sanitize-threads sanitize-all sanitize-python fuzz-build fuzz fuzz-long bench-build bench bench-end-to-end wheel dist python-install reference clean

# ccache makes a second build of the same sources quick; without it everything works as well.
CMAKE_FLAGS := $(if $(shell command -v ccache),-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
SOURCES := $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' 2>/dev/null)

# What is needed to build the library and the command; `make setup` also installs what testing and checking need.
setup:
	@tools/setup build develop

# The library and the command alone, which take a third of the time of all.
command:
	@tools/setup build
	@cmake --preset command $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset command

build: setup
	@cmake --preset release $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset release

# The library for cards, build/libomvc_cuda.so (docs/gpu.md). No card is needed, and the compiler of CUDA comes from PyPI where
# none is installed.
cuda:
	@tools/setup build
	@command -v nvcc >/dev/null || tools/python-env build/cuda-env tools/requirements-cuda.txt
	@cmake --preset command $(CMAKE_FLAGS) -DOMVC_CUDA=ON >/dev/null
	@cmake --build --preset command --target omvc_cuda

demo: command
	@build/omvc demo

# The site of the documents: build/site/index.html, which opens from disk.
docs: command
	@tools/python-env build/docs-env tools/requirements-docs.txt
	@NO_MKDOCS_2_WARNING=1 build/docs-env/bin/mkdocs build --quiet
	@echo "omvc: the site is build/site/index.html"

# Command, library, manual page and completions; PREFIX is /usr/local unless told otherwise.
install: command
	@cmake --install build --prefix $(or $(PREFIX),/usr/local) >/dev/null

test:
	@tools/setup build develop
	@tools/setup mpi || echo "omvc: MPI cannot be installed: several processes are not tested" >&2
	@$(MAKE) --no-print-directory build
	@tools/setup browser || echo "omvc: Chromium cannot be installed: the test of the page is skipped" >&2
	@ctest --preset release --parallel 2

format:
	@clang-format -i $(SOURCES)

check-format: setup
	@clang-format --dry-run -Werror $(SOURCES)

# Tests of what reads what others wrote, and of what works on bare memory, and the examples, under the address and
# undefined-behaviour sanitizers, built by clang with the assertions of Eigen and of the standard library: what CI has time for.
sanitize: setup
	@cmake --preset asan $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset asan --target omvc_guarded_tests omvc_examples
	@tests/in_parts build-asan/tests/omvc_guarded_tests
	@ctest --preset asan -R '^Examples\.'

# What runs on several threads, and the examples, under the thread sanitizer (built by g++).
sanitize-threads: setup
	@cmake --preset tsan $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset tsan --target omvc_thread_tests omvc_examples
	@build-tsan/tests/omvc_thread_tests --gtest_brief=1
	@ctest --preset tsan -R '^Examples\.'

# All tests of library, examples and command under the sanitizers, for hours.
sanitize-all: setup
	@cmake --preset asan $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset asan
	@ctest --preset asan --parallel 2 -E 'Exchange|Mpi|InstalledPackage|Shared|Docs|Python|Page.InARealBrowser'

# The tests of the Python package with library and module under the address sanitizer.
sanitize-python: build
	@cmake --preset asan $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset asan --target omvc_readers omvc_page
	@tests/python_asan.sh . build-asan build

# The readers fed with damaged files, in the same build as the tests under the address sanitizer.
fuzz-build: setup
	@cmake --preset asan $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset asan --target omvc_fuzzers

# At most two minutes: a short run of every target, from its seeds, the same each time. And a long one.
fuzz: fuzz-build
	@LIMIT=10 tests/fuzz/run 2000

fuzz-long: fuzz-build
	@tests/fuzz/run $(or $(RUNS),1000000)

bench-build:
	@tools/setup build bench
	@cmake --preset bench $(CMAKE_FLAGS) >/dev/null
	@cmake --build --preset bench

# Kernels and row solvers beside the limits of this machine; FILTER picks benchmarks by a regular expression.
bench: bench-build
	@build-bench/bench/omvc_microbench --benchmark_min_time=0.2 $(if $(FILTER),--benchmark_filter='$(FILTER)') \
	  --benchmark_out=build-bench/micro.json
	@echo "omvc: the same as JSON: build-bench/micro.json"

# Whole passes beside their peers, into docs/performance.md; an idle machine and half an hour are needed.
bench-end-to-end: bench-build
	@python3 bench/end_to_end.py --write

# A wheel that needs no Debian package: built, repaired, installed into an empty virtual environment, and tried there.
# It lies in build-wheel/dist.
wheel: setup
	@tools/make-wheel

# The library for cards as the wheel omvc-cuda13, in build-wheel/dist.
wheel-cuda: cuda
	@tools/make-cuda-wheel build/libomvc_cuda.so build-wheel/dist

# What a release consists of, in build-dist; tools/try-dist tries the Debian package in a clean root.
dist: setup
	@tools/make-dist

# The package and the command `omvc` in a virtual environment, .venv, built from this checkout. In one of your own:
# `make setup`, then `pip install .` there.
python-install: setup
	@python3 -m venv .venv
	@.venv/bin/pip install .
	@echo "omvc: .venv/bin/python has the package, .venv/bin/omvc is the command"

# The reference of the public headers, as pages in build/reference; a warning of Doxygen is an error.
reference:
	@tools/setup reference
	@mkdir -p build/reference
	@doxygen docs/reference/Doxyfile
	@echo "omvc: build/reference/index.html"

clean:
	@rm -rf build build-dev build-asan build-tsan build-bench build-wheel build-dist
