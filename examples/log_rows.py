#!/usr/bin/env python3
"""Turns lines of a log into rows for `omvc stream`.

    python3 examples/log_rows.py --words message --numbers ms,bytes --id request < app.jsonl > rows.jsonl

Each line in is a JSON object. The words of the texts that --words names are counted; they are the view "words". The
numbers that --numbers names are the view "numbers". A line that has none of a view lacks it. --id names the field that
tells one line from another; without it lines are called by their number.
"""

import argparse
import collections
import json
import re
import sys


def row_of(line, words, numbers, name):
    row = {} if name is None or name not in line else {"id": line[name]}
    text = " ".join(str(line[field]) for field in words if line.get(field) is not None)
    # Words with digits are mostly names of users, files and addresses, each of which comes once.
    counts = collections.Counter(re.findall(r"\b[^\W\d_]+\b", text.lower()))
    if counts:
        row["words"] = counts
    values = {field: line.get(field) for field in numbers}
    if any(value is not None for value in values.values()):
        row["numbers"] = values
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", default="", help="fields with texts, separated by commas")
    parser.add_argument("--numbers", default="", help="fields with numbers, separated by commas")
    parser.add_argument("--id", help="the field that tells one line from another")
    options = parser.parse_args()
    words, numbers = (list(filter(None, names.split(","))) for names in (options.words, options.numbers))
    for text in sys.stdin:
        print(json.dumps(row_of(json.loads(text), words, numbers, options.id)), flush=True)


if __name__ == "__main__":
    main()
