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

# An HDF5 file is read by a program that starts itself to try it, and refused by one that cannot (it finds no omvc either).
if "$work/prefix/bin/omvc" generate "$work/some.h5mu" --rows 2000 --features 40,60 -k 4 --missing 0.3 --quiet 2>"$work/refused"; then
  [ "$(env PATH=/nowhere "$work/consumer" "$work/some.h5mu" | wc -l)" -eq 10 ]
  sed 's/omvc::answer_trial(argc, argv)/std::optional<int>()/' "$source_dir/examples/consumer/main.cpp" >"$work/unwilling.cpp"
  # shellcheck disable=SC2046,SC2086
  "$compiler" -std=c++20 $flags "$work/unwilling.cpp" -o "$work/unwilling" $(pkg-config --cflags --libs --static omvc)
  if env PATH=/nowhere "$work/unwilling" "$work/some.h5mu" >"$work/out" 2>"$work/err"; then exit 1; fi
  grep -q answer_trial "$work/err"
  [ "$(env PATH="$work/prefix/bin" "$work/unwilling" "$work/some.h5mu" | wc -l)" -eq 10 ]
else
  grep -q 'without HDF5' "$work/refused"
fi

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
