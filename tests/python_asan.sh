#!/usr/bin/env bash
# The tests of the Python package with library and module under the address and undefined-behaviour sanitizers. Python
# itself is not sanitized, so the runtime is loaded before it, and what Python keeps to its end is no leak. The command,
# with which results are compared, is that of the release build.
#
#     tests/python_asan.sh . build-asan build          source, sanitized and release build; what follows goes to pytest
set -euo pipefail
source=$(realpath "$1") sanitized=$(realpath "$2") release=$(realpath "$3")
shift 3
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$sanitized/CMakeCache.txt")
flags=$(sed -n 's/^CMAKE_CXX_FLAGS:[A-Z]*=//p' "$sanitized/CMakeCache.txt")
export OMVC_COMMAND="$release/omvc" OMVC_VENV="$release/venv-python"
export OMVC_PRELOAD="$("$compiler" -print-file-name=libclang_rt.asan-x86_64.so)"
export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1
# Types and examples are checked by the usual tests.
exec "$source/tests/python_test.sh" "$source" "$sanitized" "$compiler" "$flags" \
  --ignore tests/python/typing_test.py --ignore tests/python/examples_test.py "$@"
