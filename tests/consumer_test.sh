#!/usr/bin/env bash
# Installs the built package into an empty folder and builds examples against it, by find_package and by pkg-config; and
# tries how it behaves inside another project. Arguments: source folder, build folder, C++ compiler, C++ flags.
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
# No option of another package's headers comes with it, and --static is not needed.
[ "$(pkg-config --cflags omvc omvc-core | tr ' ' '\n' | sort -u | grep -c .)" -eq 1 ]
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c++20 $flags "$source_dir/examples/consumer/main.cpp" -o "$work/consumer" $(pkg-config --cflags --libs omvc)
by_pkg_config=$("$work/consumer")

[ "$(echo "$by_cmake" | wc -l)" -eq 10 ]
[ "$by_cmake" = "$by_pkg_config" ]
"$work/prefix/bin/omvc" --version

# An HDF5 file is read by a program that starts itself to try it, and refused by one that cannot (it finds no omvc either).
if "$work/prefix/bin/omvc" generate "$work/some.h5mu" --rows 2000 --features 40,60 -k 4 --missing 0.3 --quiet 2>"$work/refused"; then
  [ "$(env PATH=/nowhere "$work/consumer" "$work/some.h5mu" | wc -l)" -eq 10 ]
  sed 's/omvc::answer_trial(argc, argv)/std::optional<int>()/' "$source_dir/examples/consumer/main.cpp" >"$work/unwilling.cpp"
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std=c++20 $flags "$work/unwilling.cpp" -o "$work/unwilling" $(pkg-config --cflags --libs omvc)
  if env PATH=/nowhere "$work/unwilling" "$work/some.h5mu" >"$work/out" 2>"$work/err"; then exit 1; fi
  grep -q answer_trial "$work/err"
  [ "$(env PATH="$work/prefix/bin" "$work/unwilling" "$work/some.h5mu" | wc -l)" -eq 10 ]
else
  grep -q 'without HDF5' "$work/refused"
fi

# The core alone needs no library of a file format; the examples are built with it from the installed package.
# shellcheck disable=SC2046,SC2086
"$compiler" -std=c++20 $flags "$source_dir/examples/cpp/arrays.cpp" -o "$work/arrays" $(pkg-config --cflags --libs omvc-core)
(cd "$work" && ./arrays) | grep -q 'new pages: clusters'
if ldd "$work/arrays" | grep -E 'hdf5|simdjson|libzip|matio|zstd|lzma|bz2|libz\.|libfmt'; then exit 1; fi

# A program may use {fmt} itself, as a library or as headers: the archive has what it needs of it, too.
cat >"$work/both.cpp" <<'END'
#include <fmt/format.h>
#include <omvc/omvc.hpp>
int main() { fmt::print("{} {:.1f}\n", omvc::version(), 0.5); }
END
for own in -lfmt -DFMT_HEADER_ONLY; do
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std=c++20 $flags "$work/both.cpp" -o "$work/both" $(pkg-config --cflags --libs omvc-core) $own
  "$work/both" | grep -q ' 0.5$'
done

# A package that is lacking, or lacks what it needs, is not found, without a word and without an end.
mkdir "$work/quiet"
cat >"$work/quiet/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(quiet LANGUAGES CXX)
find_package(omvc QUIET COMPONENTS ${WANTED})
if(omvc_FOUND)
  message(FATAL_ERROR "found")
endif()
END
quiet() { cmake -S "$work/quiet" -B "$work/quiet/build" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_CXX_COMPILER="$compiler" "$@" 2>&1 >/dev/null; }
[ -z "$(quiet -DWANTED=teleport)" ]
rm -r "$work/quiet/build"
[ -z "$(PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR=/nowhere quiet -DWANTED=core)" ]

# As a part of another project it is its core, and leaves type of build, tests and installation to that project.
mkdir "$work/host"
cat >"$work/host/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(host LANGUAGES CXX)
add_subdirectory("${OMVC}" omvc)
if(CMAKE_BUILD_TYPE OR TARGET omvc::readers OR TARGET omvc::page OR NOT TARGET omvc::core)
  message(FATAL_ERROR "the build is not as its host wants it: '${CMAKE_BUILD_TYPE}'")
endif()
file(WRITE main.txt "host")
install(FILES main.txt DESTINATION share)
END
cmake -S "$work/host" -B "$work/host/build" -DOMVC="$source_dir" -DCMAKE_CXX_COMPILER="$compiler" >/dev/null
cmake --install "$work/host/build" --prefix "$work/host/prefix" >/dev/null
[ "$(find "$work/host/prefix" -type f)" = "$work/host/prefix/share/main.txt" ]

# The manual page and the completions know every command, and each shell that is here can read its own.
share=$work/prefix/share
for command in fit assign info convert; do
  grep -q "omvc $command" "$share/man/man1/omvc.1"
  for file in bash-completion/completions/omvc zsh/site-functions/_omvc fish/vendor_completions.d/omvc.fish; do
    grep -q "$command" "$share/$file"
  done
done
bash -n "$share/bash-completion/completions/omvc"
if command -v zsh >/dev/null; then zsh -n "$share/zsh/site-functions/_omvc"; fi
if command -v fish >/dev/null; then
  fish --no-config -c "source $share/fish/vendor_completions.d/omvc.fish; complete -C 'omvc fit --embed'" | grep -q '^--embedding'
fi
