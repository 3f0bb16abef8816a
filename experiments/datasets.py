"""The data sets of the folder OMVC_DATA as arguments of `omvc fit`, with their fixed masks and orders (docs/data.md)."""

import csv
import json
import os
import struct
import subprocess
import threading
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = Path(os.environ.get("OMVC_DATA", ROOT.parent / "shared" / "data"))
SEEDS = range(5)
_UNPACKING = threading.Lock()


def _digit(_):
    views = [DATA / "digit" / f"mfeat-{name}" for name in ("fou", "fac", "kar", "pix", "zer")]
    return [*views, "-k", 10, "--truth", DATA / "digit" / "labels.txt"]


def _bdgp(scratch):
    """BDGP is an NPZ; its arrays are NPY files inside, its mask and labels become text."""
    folder = Path(scratch) / "bdgp"
    with _UNPACKING:
        if not folder.exists():
            folder.mkdir(parents=True)
            with zipfile.ZipFile(DATA / "bdgp" / "bdgp_4view_incomplete.npz") as archive:
                archive.extractall(folder)
            for name, columns in (("mask", 4), ("label", 1)):
                raw = (folder / f"{name}.npy").read_bytes()
                start = 10 + struct.unpack("<H", raw[8:10])[0]  # after the NPY 1.0 header; one byte a value
                values, count = raw[start:], (len(raw) - start) // columns
                if b"'fortran_order': True" in raw[:start]:
                    rows = [values[i::count] for i in range(count)]
                else:
                    rows = [values[i:i + columns] for i in range(0, len(values), columns)]
                (folder / f"{name}.txt").write_text("".join(" ".join(map(str, row)) + "\n" for row in rows))
    views = [folder / f"{name}.npy" for name in ("lateral", "dorsal", "ventral", "text")]
    return [*views, "-k", 5, "--truth", folder / "label.txt", "--present", folder / "mask.txt"]


def _citeseq(scratch):
    """Cells by RNA (sparse counts) and protein (dense); those of unknown type have no view, so they are left out."""
    folder = Path(scratch) / "citeseq"
    source = DATA / "citeseq"
    with _UNPACKING:
        if not folder.exists():
            folder.mkdir(parents=True)
            with open(source / "truth_InHouse.csv", newline="") as file:
                kinds = {row["Barcode"]: row["trueType"] for row in csv.DictReader(file)}
            truth = [kinds[cell] for cell in (source / "barcodes.txt").read_text().split()]
            (folder / "truth.txt").write_text("".join(kind + "\n" for kind in truth))
            (folder / "mask.txt").write_text("".join("0 0\n" if kind == "unknown" else "1 1\n" for kind in truth))
    views = [source / f"{name}.mtx.gz" for name in ("RNA_cells_x_genes", "Protein_cells_x_adt")]
    return [*views, "-k", 6, "--truth", folder / "truth.txt", "--present", folder / "mask.txt"]


SETS = {
    "digit": _digit,
    "webkb": lambda _: [DATA / "webkb" / "WebKB.mat", "-k", 2],
    "reuters-1200": lambda _: [DATA / "reuters-1200" / "Reuters_1200_sparse.mat", "-k", 6],
    "reuters-600": lambda _: [DATA / "reuters-600" / "reuters.mat", "-k", 6],
    "hdigit": lambda _: [DATA / "hdigit" / "Hdigit.mat", "-k", 10],
    "3sources": lambda _: [DATA / "3sources" / "3sourceIncomplete.mat", "-k", 6],
    "bbcsport": lambda _: [DATA / "bbcsport" / "bbcsportIncomplete.mat", "-k", 5],
    "bdgp": _bdgp,
    "citeseq": _citeseq,
}
MASKED = ("digit", "webkb", "reuters-1200", "hdigit")  # complete sets: fixed masks and orders by seed


def fit(command, name, mask, seed, options, scratch):
    """Runs `omvc fit` on one cell and returns its JSON summary. mask: '' (as it is) or e.g. 'cyclic-40'."""
    arguments = [command, "fit", *SETS[name](scratch), "--seed", seed, "--json", "--quiet", *options]
    if "-k" in options:  # in the place of the true number
        at = arguments.index("-k")
        del arguments[at:at + 2]
    if mask == "sorted":  # by class, as the file is
        mask = ""
    elif name in MASKED:
        arguments += ["--order", DATA / "masks" / f"{name}-order-{seed}.txt"]
    else:
        arguments += ["--shuffle"]
    if mask:
        arguments += ["--present", DATA / "masks" / f"{name}-{mask}-{seed}.txt"]
    done = subprocess.run([str(a) for a in arguments], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, arguments))}\n{done.stderr}")
    return json.loads(done.stdout)
