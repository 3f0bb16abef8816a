#!/usr/bin/env python3
"""Times whole passes of `--preset paper` beside the products with the data alone, in one run: seconds depend on the machine and
the hour, ratios less so.

    bench/end_to_end.py [--build build-bench] [--folder DIR]
    bench/end_to_end.py --write            also puts the tables into docs/performance.md
    bench/end_to_end.py --data webkb,digit --repeat 1           a short look

The products are made by the fastest library, the same in number, width and chunks as omvc had; also gives 2 threads against 1, and
the paper's Table IV.

Needs tools/packages-bench.txt, a build with -DOMVC_BUILD_BENCHMARKS=ON, and PyPI the first time (tools/requirements-bench.txt).
Planted data are kept in the folder and used again; copies of all data as the solver sees them are written beside them.
"""
import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "end_to_end"))
import common  # noqa: E402
import floor_section  # noqa: E402


def one_of(known):
    def parse(text):
        names = text.split(",")
        unknown = [name for name in names if name not in known]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]} is none of {', '.join(known)}")
        return names
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=common.ROOT / "build-bench", help="with omvc and the programs of bench/end_to_end")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "omvc-end-to-end"))
    parser.add_argument("--data", type=one_of(common.CLUSTERS), default=list(common.CLUSTERS), help="names with commas")
    parser.add_argument("--mask", default="", help="of the real sets, such as cyclic-40; they are complete without")
    parser.add_argument("--rows", type=int, default=0, help="instances of reuters and youtube, if not all")
    parser.add_argument("--threads", type=lambda text: sorted({int(one) for one in text.split(",")}, reverse=True), default=[2, 1],
                        help="2,1, or 1 where other work takes the second processor: one thread is timed by its processor seconds")
    parser.add_argument("--repeat", type=int, default=3, help="times everything is run, in turns; the least is taken")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--json", type=Path, help="everything measured, as a file")
    arguments = parser.parse_args()
    bench = common.Bench(arguments)
    floor_section.floor(bench)
    if arguments.json:
        arguments.json.write_text(json.dumps(bench.results, indent=1) + "\n")


if __name__ == "__main__":
    main()
