#!/usr/bin/env python3
"""Small files and few lines that would take gigabytes: the peak memory of omvc for each, beside a limit.

    python3 experiments/memory_attacks.py              exits 1 where a limit is passed or a run does not end

Every attack is made in a temporary folder and given to the command with the default --memory 64. It may succeed or be
refused with a message (exit 3, data); what counts is the peak of the resident memory of the process and its children
(getrusage). The HDF5 file needs h5py, and is left out with a word where that is not installed.
"""
import argparse
import gzip
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib

LIMIT = 640  # megabytes: ten times --memory
SECONDS = 120


def npy_header(rows, columns):
    text = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (rows, columns)
    text += " " * (-(len(text) + 11) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode()


def zeros_npz(path):
    """4 GB of zeros in 4 MB (deflate makes a thousandth of them)."""
    rows, columns = 500_000, 1000
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("x.npy", "w", force_zip64=True) as entry:
            entry.write(npy_header(rows, columns))
            for _ in range(rows // 1000):
                entry.write(bytes(8 * columns * 1000))


def chunk_h5ad(path):
    """One chunk of 20000 x 20000, deflated twice: 3.2 GB in 15 kB, beside the names of rows and columns."""
    import h5py
    size = 20000
    with h5py.File(path, "w") as file:
        file.attrs["encoding-type"], file.attrs["encoding-version"] = "anndata", "0.1.0"
        for table in ("obs", "var"):
            group = file.create_group(table)
            group.attrs["encoding-type"], group.attrs["encoding-version"] = "dataframe", "0.2.0"
            group.attrs["_index"], group.attrs["column-order"] = "_index", h5py.Empty("f8")
            group["_index"] = ["%s%d" % (table, i) for i in range(size)]
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_chunk((size, size))
        for _ in range(2):
            plist.set_filter(h5py.h5z.FILTER_DEFLATE, 0, (9,))
        data = h5py.h5d.create(file.id, b"X", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((size, size)), plist)
        inner = zlib.compress(bytes(8 * size * size), 9)
        data.write_direct_chunk((0, 0), zlib.compress(inner, 9))


def empty_lines(path):
    with gzip.open(path, "wb", 9) as file:
        file.write(b"a,b\n1,2\n")
        for _ in range(2000):
            file.write(b"\n" * 1_000_000)


def names(path):
    """99 lines of 50,000 names that nobody has had before."""
    with open(path, "w") as file:
        for i in range(99):
            words = ", ".join('"w%d": 1' % (i * 50_000 + j) for j in range(50_000))
            file.write('{"id": %d, "text": {%s}}\n' % (i, words))


def long_lines(path, count=3, megabytes=64):
    """Lines of 64 MB in a dense view."""
    with open(path, "w") as file:
        for i in range(count):
            file.write('{"id": %d, "x": [' % i)
            for _ in range(megabytes):
                file.write("1," * (1 << 19))
            file.write("1]}\n")


def peak_of(arguments, standard_input=None):
    """Exit status, seconds and peak megabytes; status None where it was ended after SECONDS."""
    begin = time.monotonic()
    with open(standard_input or os.devnull, "rb") as source:
        process = subprocess.Popen(arguments, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    timer = threading.Timer(SECONDS, process.kill)
    timer.start()
    message = process.stderr.read().decode(errors="replace").strip().split("\n")[-1]
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = status
    late = not timer.is_alive()
    timer.cancel()
    return None if late else os.waitstatus_to_exitcode(status), time.monotonic() - begin, used.ru_maxrss / 1024, message


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--omvc", default="build/omvc")
    options = parser.parse_args()
    folder = tempfile.mkdtemp()
    at = lambda name: os.path.join(folder, name)  # noqa: E731
    fit = [options.omvc, "fit", "-k", "2", "--quiet"]
    stream = [options.omvc, "stream", "-k", "2", "--quiet", "--model", at("model.omvc")]
    attacks = [
        ("zeros in an npz", zeros_npz, "zeros.npz", lambda path: (fit + [path], None)),
        ("an HDF5 chunk of 3.2 GB, deflated twice", chunk_h5ad, "chunk.h5ad", lambda path: (fit + [path], None)),
        ("2 GB of empty lines in a gz", empty_lines, "lines.csv.gz", lambda path: (fit + [path], None)),
        ("99 lines of 50,000 new names", names, "names.jsonl", lambda path: (stream, path)),
        ("3 dense lines of 64 MB", long_lines, "long.jsonl", lambda path: (stream, path)),
    ]
    bad = 0
    print("| attack | bytes | exit | seconds | peak MB |\n| --- | --- | --- | --- | --- |")
    for name, make, file, command in attacks:
        path = at(file)
        try:
            make(path)
        except ImportError as error:
            print("| %s | left out: %s is not installed | | | |" % (name, error.name))
            continue
        size = os.path.getsize(path)
        if os.path.exists(at("model.omvc")):
            os.remove(at("model.omvc"))
        status, seconds, peak, message = peak_of(*command(path))
        os.remove(path)
        wrong = status is None or status not in (0, 3) or peak > LIMIT
        bad += wrong
        print("| %s | %s | %s | %.1f | %.0f%s |" % (name, format(size, ","), "none" if status is None else status, seconds,
                                                     peak, " (limit %d)" % LIMIT if wrong else ""), flush=True)
        if message:
            print("|   | %s | | | |" % message[:300])
    shutil.rmtree(folder)
    sys.exit(1 if bad else 0)


main()
