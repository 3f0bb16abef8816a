#!/usr/bin/env python3
"""Reads the tables of tests/tables with pandas and says where it differs from what omvc reads (expected.json).

pandas gets the options that are obvious for a table (`pandas` in expected.json), such as its separator. Compared are the
numbers: shape, values and missing values of the columns that pandas takes for numbers, by row. Prints a table in
Markdown. Argument: the folder of the tables; needs pandas.
"""

import json
import math
import sys
import warnings
from pathlib import Path

import pandas


def numbers_of(frame):
    """Rows of the columns that are numbers, None where a value is missing."""
    numbers = frame.select_dtypes("number")
    return [[None if pandas.isna(value) else float(value) for value in row] for row in numbers.to_numpy(dtype=float)]


def expected_rows(table):
    """What omvc gives, where an absent instance is a row of missing values."""
    width = max((len(row) for row in table["rows"]), default=0)
    return [row if row else [None] * width for row in table["rows"]]


def same(a, b):
    return a == b or (a is not None and b is not None and math.isclose(a, b, rel_tol=1e-12))


def difference(table, folder):
    """What pandas does otherwise, in words; nothing if it reads the same."""
    options = dict(table["pandas"])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frame = pandas.read_csv(folder / table["file"], **options)
    except Exception as error:
        return "" if "error" in table else f"refuses it: {str(error).splitlines()[0][:70]}"
    if "error" in table:
        kinds = sorted({str(kind) for kind in frame.dtypes})
        return f"reads {frame.shape[0]} x {frame.shape[1]} ({', '.join(kinds)})"
    found, wanted = numbers_of(frame), expected_rows(table)
    if "columns" in table:
        found = [row[: len(wanted[0])] for row in found]
    if len(found) != len(wanted):
        return f"{len(found)} rows, not {len(wanted)}"
    if any(len(a) != len(b) for a, b in zip(found, wanted)):
        return f"{len(found[0])} columns of numbers, not {len(wanted[0])}"
    if not all(same(a, b) for one, other in zip(found, wanted) for a, b in zip(one, other)):
        return "other values"
    return ""


def main():
    folder = Path(sys.argv[1])
    tables = json.loads((folder / "expected.json").read_text())
    different = [(table, text) for table in tables if (text := difference(table, folder))]
    print(f"pandas {pandas.__version__}: {len(tables)} tables, {len(tables) - len(different)} read or refused alike\n")
    print("| table | omvc | pandas |\n| --- | --- | --- |")
    for table, text in different:
        own = "refuses it" if "error" in table else f"{len(table['rows'])} x {max(len(row) for row in table['rows'])}"
        print(f"| `{table['file']}` | {own} | {text.replace('|', '/')} |")


if __name__ == "__main__":
    main()
