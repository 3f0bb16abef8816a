#!/usr/bin/env python3
"""What the library costs inside a service: rows per second that threads label with one model, and the size and needs of a
minimal program, beside faiss where Debian's package is installed (libfaiss-dev).

    make build && python3 bench/service.py [--threads 2] [--seconds 1]

Installs build/ into an empty folder, builds the programs by pkg-config, and prints the two tables of docs/cpp.md.
"""
import argparse
import os
import pathlib
import re
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Each clusters an array and prints a label.
CORE = """
#include <omvc/clusterer.hpp>
#include <cstdio>
#include <vector>
int main() {
  std::vector<float> values(1000 * 8);
  for (int i = 0; i < 8000; ++i) values[i] = i / 8 % 3 == i % 8 ? 3 : i * 37 % 11 * 0.05f;
  omvc::Options options;
  options.clusters = 3;
  omvc::Clusterer model(options);
  std::printf("%d\\n", model.fit({{.rows = omvc::DenseRows<float>{.data = values.data(), .rows = 1000, .cols = 8}}})
                          .found.labels[0]);
}
"""
FAISS = """
#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>
#include <cstdio>
#include <vector>
int main() {
  std::vector<float> values(1000 * 8);
  for (int i = 0; i < 8000; ++i) values[i] = i / 8 % 3 == i % 8 ? 3 : i * 37 % 11 * 0.05f;
  faiss::IndexFlatL2 index(8);
  faiss::Clustering clustering(8, 3);
  clustering.train(1000, values.data(), index);
  faiss::Index::idx_t label;
  float distance;
  index.search(1, values.data(), 1, &distance, &label);
  std::printf("%d\\n", int(label));
}
"""


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True, **options).stdout


def needs(program):
    """The shared libraries that a program needs beside those of every C++ program, with their sizes."""
    usual = re.compile(r"linux-vdso|ld-linux|libc\.so|libm\.so|libstdc\+\+|libgcc_s")
    found = {}
    for line in run("ldd", program).splitlines():
        match = re.match(r"\s*(\S+) => (\S+)", line)
        if match and not usual.search(match[1]):
            found[match[1].split(".so")[0]] = os.path.getsize(os.path.realpath(match[2]))
    return found


def row(name, program):
    stripped = program.with_suffix(".stripped")
    run("strip", "-o", stripped, program)
    libraries = needs(program)
    names = ", ".join(sorted(libraries)) or "none"
    print(f"| {name} | {os.path.getsize(stripped) / 1e6:.1f} | {names} | {sum(libraries.values()) / 1e6:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run("cmake", "--install", ROOT / "build", "--prefix", folder / "prefix")
        paths = ":".join(str(path.parent) for path in folder.glob("prefix/**/omvc.pc"))
        environment = dict(os.environ, PKG_CONFIG_PATH=paths)

        def build(name, text, package):
            source = folder / f"{name}.cpp"
            source.write_text(text)
            flags = run("pkg-config", "--cflags", "--libs", package, env=environment).split() if package else ["-fopenmp", "-lfaiss", "-llapack", "-lblas"]
            run("g++", "-std=c++20", "-O2", source, "-o", folder / name, *flags)
            return folder / name

        service = build("service", (ROOT / "bench/service.cpp").read_text(), "omvc-core")
        print("| threads | `Clusterer::assign`, rows per second | per second on a core | `Snapshot::assign` | on a core |")
        print("| --- | --- | --- | --- | --- |")
        for line in run(service, arguments.threads, arguments.seconds).splitlines():
            threads, *rates = line.split()
            print("| " + " | ".join([threads, *(f"{float(rate):,.0f}" for rate in rates)]) + " |")
        print("\n| program | MB, stripped | libraries beside those of C++ | MB of them |\n| --- | --- | --- | --- |")
        row("omvc, `core`", build("core", CORE, "omvc-core"))
        consumer = (ROOT / "examples/consumer/main.cpp").read_text()
        row("omvc, all components", build("all", consumer, "omvc"))
        if pathlib.Path("/usr/include/faiss").is_dir():
            row("faiss, k-means", build("faiss", FAISS, ""))


if __name__ == "__main__":
    main()
