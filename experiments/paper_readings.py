#!/usr/bin/env python3
"""What `--preset paper` gives under other readings of the paper: single runs of k-means and the best of 20, passes, views of Digit.

    experiments/paper_readings.py [--omvc build/omvc] [--write]

Means over the seeds 0 to 4 on the fixed orders and masks, with chunks of 50 and ten passes. --write
puts the tables into docs/reproduction.md.
"""

import argparse
import json
import statistics
import subprocess
import tempfile

import datasets
import docs_page

PASSES = 10
MORPHOLOGY = "mor in place of kar"
# Title, data set, mask, further options or the change of views, the paper's figure. Tuned is the alpha that --grid picks.
CASES = [
    ("WebKB, complete", "webkb", "", [], 0.5954),
    ("WebKB, complete, tuned (alpha 1e-3)", "webkb", "", ["--alpha", "1e-3"], 0.5954),
    ("WebKB, 40 % missing", "webkb", "cyclic-40", [], 0.3462),
    ("WebKB, 40 % missing, tuned (alpha 10)", "webkb", "cyclic-40", ["--alpha", "10"], 0.3462),
    ("Digit, complete", "digit", "", [], 0.7303),
    ("Digit, complete, mor in place of kar", "digit", "", MORPHOLOGY, 0.7303),
    ("Digit, 40 % missing", "digit", "cyclic-40", [], 0.4885),
    ("Digit, 40 % missing, mor in place of kar", "digit", "cyclic-40", MORPHOLOGY, 0.4885),
]
SHOWN = (1, 2, 3, 5, 10)


def reports(omvc, name, mask, arguments):
    """The summary of a fit for every seed."""
    out = []
    for seed in datasets.SEEDS:
        masks = datasets.DATA / "masks"
        more = ["--order", masks / f"{name}-order-{seed}.txt"]
        if mask:
            more += ["--present", masks / f"{name}-{mask}-{seed}.txt"]
        done = subprocess.run([str(each) for each in [omvc, "fit", *arguments, *more, "--preset", "paper", "--passes", PASSES,
                                                      "--seed", seed, "--threads", 1, "--json", "--quiet"]],
                              check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        out.append(json.loads(done.stdout))
    return out


def over_seeds(values):
    return f"{statistics.mean(values):.3f} ± {statistics.pstdev(values):.3f}"


def table(rows):
    lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default=datasets.ROOT / "build" / "omvc")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    starts = [["data", "single runs", "best of 20", "the paper"]]
    passes = [["NMI of single runs after pass", *SHOWN]]
    with tempfile.TemporaryDirectory() as scratch:
        for title, name, mask, more, paper in CASES:
            data = datasets.SETS[name](scratch)
            if more is MORPHOLOGY:
                data, more = [str(each).replace("mfeat-kar", "mfeat-mor") for each in data], []
            found = reports(arguments.omvc, name, mask, [*data, *more])
            starts.append([title, over_seeds([each["nmi"] for each in found]),
                           over_seeds([each["nmi_best"] for each in found]), paper])
            passes.append([title, *(f"{statistics.mean(each['per_pass'][number - 1]['nmi'] for each in found):.3f}"
                                    for number in SHOWN)])
    text = table(starts) + "\n" + table(passes) + "\n" + docs_page.stamp(
        "experiments/paper_readings.py --write", "chunks of 50, ten passes, seeds 0-4")
    print(text)
    if arguments.write:
        docs_page.put("reproduction.md", "readings", text)


if __name__ == "__main__":
    main()
