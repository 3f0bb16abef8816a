#!/usr/bin/env bash
# Builds the Python module against the library that is built already, in a virtual environment from PyPI, and runs the
# tests of the package. Exits with 77 (skipped) where PyPI cannot be reached.
#
# Arguments: source folder, build folder, C++ compiler, its flags; what follows goes to pytest. OMVC_COMMAND is the command
# of another build, OMVC_PRELOAD a library that Python is started with, OMVC_VENV another folder for the environment.
set -euo pipefail
source=$1 build=$2 compiler=$3 flags=$4
shift 4

venv=${OMVC_VENV:-$build/venv-python}
python3 "$source/tools/python-env" "$venv" "$source/tools/requirements-python.txt" || exit $?
python="$venv/bin/python"
folder="$build/python"
cmake --install "$build" --component library --prefix "$folder/prefix" >/dev/null
cmake -S "$source/python" -B "$folder/module" -G Ninja -DCMAKE_PREFIX_PATH="$folder/prefix" \
  -DPython_EXECUTABLE="$python" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$folder/module"

# The package as it would be installed: the Python files, the module, the command inside.
rm -rf "$folder/package" && mkdir -p "$folder/package/omvc/bin"
cp -r "$source"/python/omvc/* "$folder/package/omvc/"
cp "$folder"/module/_core*.so "$folder/package/omvc/"
# What Python is started with is not for the programs that the tests and the package start.
add_program() {
  local inside=$folder/package/omvc/bin/$(basename "$1")
  if [ -n "${OMVC_PRELOAD:-}" ]; then
    printf '#!/bin/sh\nexec env -u LD_PRELOAD "%s" "$@"\n' "$1" >"$inside" && chmod +x "$inside"
  else
    cp "$1" "$inside"
  fi
}
add_program "${OMVC_COMMAND:-$build/omvc}"

cd "$source"
LD_PRELOAD="${OMVC_PRELOAD:-}" PYTHONPATH="$folder/package" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg \
  "$python" -m pytest -q -p no:cacheprovider tests/python "$@"
