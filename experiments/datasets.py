"""The data sets of the folder OMVC_DATA as arguments of `omvc fit`, with their fixed masks and orders (docs/data.md)."""

import csv
import io
import json
import os
import pickle
import random
import re
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
                start = 10 + struct.unpack("<H", raw[8:10])[0]  # after the NPY 1.0 header; one byte per value
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


def _bdgp_two(scratch):
    """BDGP as most papers have it: the three pictures side by side, zeros where one is absent, and the text."""
    folder = Path(scratch) / "bdgp-two"
    _bdgp(scratch)
    with _UNPACKING:
        if not folder.exists():
            folder.mkdir(parents=True)
            views = [_npy_rows(Path(scratch) / "bdgp" / f"{name}.npy") for name in ("lateral", "dorsal", "ventral")]
            with open(folder / "visual.txt", "w") as file:
                for parts in zip(*views):
                    file.write(" ".join(f"{x:g}" for part in parts for x in part) + "\n")
    return [folder / "visual.txt", Path(scratch) / "bdgp" / "text.npy", "-k", 5,
            "--truth", Path(scratch) / "bdgp" / "label.txt"]


def _npy_rows(path):
    """The rows of an NPY file of two dimensions, without NumPy."""
    raw = path.read_bytes()
    start = 10 + struct.unpack("<H", raw[8:10])[0]
    head = raw[10:start].decode()
    rows, columns = (int(each) for each in re.search(r"'shape': \((\d+), (\d+)\)", head).groups())
    kind = {"f8": "d", "f4": "f", "i8": "q", "i4": "i", "i2": "h", "u1": "B", "u2": "H", "i1": "b"}[re.search(r"'descr': '.(..)'", head).group(1)]
    values = struct.unpack(f"<{rows * columns}{kind}", raw[start:])
    if "'fortran_order': True" in head:
        return [values[i::rows] for i in range(rows)]
    return [values[i * columns:(i + 1) * columns] for i in range(rows)]


def _digit_noise(scratch):
    """Digit and two more views of 50 features that are noise."""
    folder = Path(scratch) / "digit-noise"
    with _UNPACKING:
        if not folder.exists():
            folder.mkdir(parents=True)
            for view in (1, 2):
                draw = random.Random(view)
                with open(folder / f"noise{view}.txt", "w") as file:
                    for _ in range(2000):
                        file.write(" ".join(f"{draw.gauss(0, 1):.4f}" for _ in range(50)) + "\n")
            for mask in (DATA / "masks").glob("digit-cyclic-40-*.txt"):
                rows = mask.read_text().splitlines()
                (folder / mask.name).write_text("".join(f"{row} 1 1\n" for row in rows))
    views, rest = _digit(scratch)[:5], _digit(scratch)[5:]
    return [*views, folder / "noise1.txt", folder / "noise2.txt", *rest]


class _Stub:
    """Stands for a class of NumPy or SciPy in a pickle: keeps what it is given."""

    def __init__(self, *given):
        self.given = given

    def __setstate__(self, state):
        self.state = state


class _Unpickler(pickle.Unpickler):
    """Reads arrays without NumPy, and runs nothing that the file names."""

    def find_class(self, module, name):
        return type(name, (_Stub,), {})


def _coauthor(scratch):
    """An NPZ of pickled SciPy matrices: each becomes an NPZ as scipy.sparse.save_npz writes it."""
    folder = Path(scratch) / "coauthor-cs"

    def npy(kind, shape, raw):
        head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
        head += " " * (-(len(head) + 11) % 64) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + raw

    with _UNPACKING:
        if not folder.exists():
            folder.mkdir(parents=True)
            with zipfile.ZipFile(DATA / "coauthor-cs" / "coauthor_cs.npz") as archive:
                for name, stored in (("words", "node_attr"), ("links", "adj_matrix")):
                    raw = archive.read(f"{stored}.npy")
                    start = 10 + struct.unpack("<H", raw[8:10])[0]
                    matrix = _Unpickler(io.BytesIO(raw[start:])).load().state[4][0].state
                    with zipfile.ZipFile(folder / f"{name}.npz", "w") as out:
                        for part in ("data", "indices", "indptr"):
                            _, shape, kind, _, values = matrix[part].state
                            out.writestr(f"{part}.npy", npy("<" + kind.given[0], shape, values))
                        out.writestr("shape.npy", npy("<i8", (2,), struct.pack("<2q", *matrix["_shape"])))
                        out.writestr("format.npy", npy("|S3", (), b"csr"))
                raw = archive.read("node_label.npy")
                labels = struct.unpack(f"<{(len(raw) - 128) // 4}i", raw[128:])
                (folder / "truth.txt").write_text("".join(f"{label}\n" for label in labels))
    return [folder / "words.npz", folder / "links.npz", "-k", 15, "--truth", folder / "truth.txt"]


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
EVERY = {**SETS, "coauthor-cs": _coauthor, "bdgp-two-views": _bdgp_two, "digit-noise": _digit_noise}  # not in `all`
MASKED = ("digit", "webkb", "reuters-1200", "hdigit")  # complete sets: fixed masks and orders by seed


def arguments_of(name, mask, seed, options, scratch):
    """The arguments of `omvc fit` for one cell. mask: '' (as it is) or e.g. 'cyclic-40'."""
    arguments = [*EVERY[name](scratch), "--seed", seed, *options]
    if "-k" in options:  # in the place of the true number
        at = arguments.index("-k")
        del arguments[at:at + 2]
    if mask == "sorted":  # by class, as the file is
        mask = ""
    elif name in MASKED:
        arguments += ["--order", DATA / "masks" / f"{name}-order-{seed}.txt"]
    else:
        arguments += ["--shuffle"]
    if name == "digit-noise":
        arguments += ["--present", Path(scratch) / "digit-noise" / f"digit-{mask}-{seed}.txt"]
    elif mask:
        arguments += ["--present", DATA / "masks" / f"{name}-{mask}-{seed}.txt"]
    return [str(each) for each in arguments]


def fit(command, name, mask, seed, options, scratch):
    """Runs `omvc fit` on one cell and returns its JSON summary."""
    arguments = [str(command), "fit", *arguments_of(name, mask, seed, ["--json", "--quiet", *options], scratch)]
    done = subprocess.run(arguments, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)}\n{done.stderr}")
    return json.loads(done.stdout)
