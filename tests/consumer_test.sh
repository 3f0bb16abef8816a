#!/usr/bin/env bash
# Installs the built package into an empty folder and builds examples/consumer against it, by find_package and by
# pkg-config. Arguments: source folder, build folder, C++ compiler, C++ flags.
set -euo pipefail
source_dir=$1 build_dir=$2 compiler=$3 flags=${4:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build_dir" --prefix "$work/prefix" >/dev/null
cmake -S "$source_dir/examples/consumer" -B "$work/cmake" -DCMAKE_PREFIX_PATH="$work/prefix" \
      -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_CXX_FLAGS="$flags" >/dev/null
cmake --build "$work/cmake" >/dev/null
by_cmake=$("$work/cmake/consumer")

export PKG_CONFIG_PATH="$work/prefix/lib/pkgconfig:$(echo "$work"/prefix/lib/*/pkgconfig)"
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c++20 $flags "$source_dir/examples/consumer/main.cpp" -o "$work/consumer" $(pkg-config --cflags --libs --static omvc)
by_pkg_config=$("$work/consumer")

[ "$(echo "$by_cmake" | wc -l)" -eq 10 ]
[ "$by_cmake" = "$by_pkg_config" ]
"$work/prefix/bin/omvc" --version
