"""The C API as another language sees it: Python's ctypes, with nothing but the shared library.

Arguments: the shared library.
"""
import ctypes
import math
import os
import sys
import tempfile


class View(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("columns", ctypes.c_int64), ("type", ctypes.c_int),
                ("values", ctypes.c_void_p), ("row_step", ctypes.c_int64), ("offsets", ctypes.POINTER(ctypes.c_int64)),
                ("numbers", ctypes.POINTER(ctypes.c_int32))]


FLOAT32, FLOAT64 = 0, 1
USAGE, DATA, IO = 2, 3, 4
ROWS, CLUSTERS = 300, 3


def open_library(path):
    omvc = ctypes.CDLL(path)
    learn = [ctypes.c_void_p, ctypes.POINTER(View), ctypes.c_int, ctypes.c_int64, ctypes.POINTER(ctypes.c_int32),
             ctypes.POINTER(ctypes.c_double), ctypes.POINTER(ctypes.c_double)]
    for name, result, arguments in [
            ("version", ctypes.c_char_p, []), ("error", ctypes.c_char_p, []), ("new", ctypes.c_void_p, []),
            ("free", None, [ctypes.c_void_p]),
            ("set", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]),
            ("fit", ctypes.c_int, learn), ("partial_fit", ctypes.c_int, learn), ("assign", ctypes.c_int, learn),
            ("cut", ctypes.c_int, [ctypes.c_void_p, ctypes.c_int]), ("clusters", ctypes.c_int, [ctypes.c_void_p]),
            ("instances", ctypes.c_int64, [ctypes.c_void_p]),
            ("save", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p]),
            ("load", ctypes.c_int, [ctypes.c_void_p, ctypes.c_char_p])]:
        function = getattr(omvc, "omvc_" + name)
        function.restype, function.argtypes = result, arguments
    return omvc


def dense(rows, columns, first=0):
    """Row i belongs to cluster i % CLUSTERS; every fifth lacks the view."""
    values = (ctypes.c_double * (rows * columns))()
    for i in range(rows):
        for j in range(columns):
            strong = 3.0 if j % CLUSTERS == i % CLUSTERS else 0.0
            values[i * columns + j] = math.nan if i % 5 == first else strong + (i * 7 + j * 13) % 10 / 10
    return values


def sparse(rows):
    """Two words per row: one of its cluster, one of all."""
    offsets = (ctypes.c_int64 * (rows + 1))(*[2 * i for i in range(rows + 1)])
    numbers = (ctypes.c_int32 * (2 * rows))()
    values = (ctypes.c_float * (2 * rows))(*[1.0, 0.5] * rows)
    for i in range(rows):
        numbers[2 * i], numbers[2 * i + 1] = 4 * (i % CLUSTERS) + i // CLUSTERS % 4, 12 + i % 7
    return offsets, numbers, values


def main():
    omvc = open_library(sys.argv[1])
    assert omvc.omvc_version().count(b".") == 2
    numbers = dense(ROWS, 6)
    offsets, columns, words = sparse(ROWS)
    views = (View * 2)(View(b"numbers", 6, FLOAT64, ctypes.cast(numbers, ctypes.c_void_p), 0, None, None),
                       View(b"words", 19, FLOAT32, ctypes.cast(words, ctypes.c_void_p), 0, offsets, columns))
    labels = (ctypes.c_int32 * ROWS)()
    confidence = (ctypes.c_double * ROWS)()
    model = omvc.omvc_new()
    assert omvc.omvc_assign(model, views, 2, ROWS, labels, None, None) == USAGE
    assert b"learned nothing" in omvc.omvc_error(), omvc.omvc_error()
    assert omvc.omvc_set(model, b"clusters", b"many") == USAGE and b"clusters" in omvc.omvc_error()
    assert omvc.omvc_set(model, b"clusters", b"3") == 0
    assert omvc.omvc_fit(model, views, 2, ROWS, labels, confidence, None) == 0, omvc.omvc_error()
    assert omvc.omvc_clusters(model) == CLUSTERS and omvc.omvc_instances(model) == ROWS
    truth = {}
    for i in range(ROWS):
        truth.setdefault(i % CLUSTERS, []).append(labels[i])
    for found in truth.values():
        assert max(found.count(label) for label in set(found)) > 0.9 * len(found)
    assert all(0 <= value <= 1 for value in confidence)

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.omvc").encode()
        assert omvc.omvc_save(model, path) == 0, omvc.omvc_error()
        loaded = omvc.omvc_new()
        assert omvc.omvc_load(loaded, path + b"x") == IO and path in omvc.omvc_error()
        assert omvc.omvc_load(loaded, path) == 0, omvc.omvc_error()
    again = (ctypes.c_int32 * ROWS)()
    here = (ctypes.c_int32 * ROWS)()
    assert omvc.omvc_assign(model, views, 2, ROWS, here, None, None) == 0
    assert omvc.omvc_assign(loaded, views, 2, ROWS, again, None, None) == 0
    assert list(again) == list(here)
    views[0].columns = 5
    assert omvc.omvc_assign(loaded, views, 2, ROWS, again, None, None) == DATA, omvc.omvc_error()
    views[0].columns = 6
    assert omvc.omvc_partial_fit(loaded, views, 2, ROWS, again, None, None) == 0, omvc.omvc_error()
    assert omvc.omvc_instances(loaded) == 2 * ROWS
    assert omvc.omvc_cut(loaded, 2) == 0 and omvc.omvc_clusters(loaded) == 2
    omvc.omvc_free(loaded)
    omvc.omvc_free(model)
    omvc.omvc_free(None)


if __name__ == "__main__":
    main()
