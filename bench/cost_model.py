#!/usr/bin/env python3
"""What a fit by many processes costs, from what bench/scaling.py has measured, and what that predicts for more machines.

    python3 bench/scaling.py --counts 1,2,4,8,16 --mpirun mpirun --out FILE.json      measures
    python3 bench/cost_model.py FILE.json                                             prints the tables
    python3 bench/cost_model.py FILE.json --write                                     into docs/scaling.md, with the picture

N rows and P processes, one for each core, take

    c (s + (1 - s) / Q) + N a / P + log2(P) V (e + 1 / w) + S (e + 1 / w)

seconds: making the model (c), of which the share s is one core's work and the rest is done by those of the Q processes that
are on one machine; reading, arithmetic and writing of a row (a); sums and model (V bytes) through each level of the tree of
processes at e seconds per byte for packing, checking and adding and w bytes per second of network; the sample (S) to the first
process. a and c come from fits of one process with once and four times the rows, s and e from the runs by 2 to 16 processes.
Reading from disks is beside the rest: where they give less than the processes take, the larger of both counts.
"""
import argparse
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402

CORES = 16  # of each machine that is predicted
DISK = 2e9  # bytes per second that each of them reads
SAMPLE = 64e6
ROWS = 10**9
MACHINES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
SHOWN = [1, 10, 100, 1000]
NETWORKS = {"10 Gbit/s": 1.25e9, "100 Gbit/s": 12.5e9}


class Model:
    def __init__(self, found, shape):
        once, more = [dict(cost) for cost in found["costs"] if cost["shape"] == shape]
        for cost in (once, more):  # the quickest run of one process counts: others share the machine
            runs = [run["seconds"] for run in found["rows"]
                    if (run["shape"], run["times"], run["count"]) == (shape, cost["times"], 1)]
            cost["seconds"] = min([cost["seconds"], *runs])
        self.row = (more["seconds"] - once["seconds"]) / (more["rows"] - once["rows"])
        self.constant = max(0.0, once["seconds"] - self.row * once["rows"])
        self.row_bytes = once["bytes"] / once["rows"]
        counted = once["clusters"] if once["refined"] else once["prototypes"]
        d = once["features"]
        # The sums of one pass up, the survey up, the model down twice: for the pass, and for the labels.
        self.level = 8 * (d * counted + 2 * counted**2) + 40 * d + 2 * 8 * d * (counted + once["rank"])
        self.serial = 1.0
        self.byte = 0.0

    def making(self, processes):
        return self.constant * (self.serial + (1 - self.serial) / min(processes, CORES))

    def travelling(self, processes):
        """Bytes that come one after the other."""
        return math.ceil(math.log2(processes)) * self.level + SAMPLE if processes > 1 else 0.0

    def seconds(self, rows, processes, network=math.inf):
        return self.making(processes) + rows * self.row / processes + self.travelling(processes) * (self.byte + 1 / network)

    def explain(self, runs, rows):
        """The share of one core and the seconds for a byte that explain best what several processes took."""
        def error(serial, byte):
            self.serial, self.byte = serial, byte
            return sum((run["seconds"] - self.seconds(rows, run["count"])) ** 2 for run in runs if run["count"] > 1)
        tried = [(s / 100, e * 1e-10) for s in range(101) for e in range(0, 401, 2)]
        self.serial, self.byte = min(tried, key=lambda pair: error(*pair))

    def predicted(self, machines, network):
        """Of ROWS rows: seconds of all, and what bounds them."""
        reading = 2 * ROWS * self.row_bytes / (machines * DISK)
        working = ROWS * self.row / (machines * CORES)
        total = self.seconds(ROWS, machines * CORES, network) + max(0.0, reading - working)
        model = self.making(CORES)
        parts = {"reading": max(reading, working) if reading > working else 0, "arithmetic": working if working >= reading else 0,
                 "making the model": model, "sums and sample": total - max(reading, working) - model}
        return total, max(parts, key=parts.get)


def checked(model, found):
    """Measured beside the model, for the runs by several processes."""
    runs = [run for run in found["rows"] if run["kind"] == "ranks"]
    if not runs:
        return []
    rows = next(cost["rows"] for cost in found["costs"] if cost["shape"] == "youtube" and cost["times"] == runs[0]["times"])
    model.explain(runs, rows)
    lines = ["| processes | measured, s | the model, s |", "| --- | --- | --- |"]
    return lines + [f"| {run['count']} | {run['seconds']:.1f} | {model.seconds(rows, run['count']):.1f} |" for run in runs] + [""]


def constants(models):
    yield "| shape | a, a row | c | V, a level | bytes of a row |"
    yield "| --- | --- | --- | --- | --- |"
    for shape, model in models.items():
        yield (f"| {shape} | {model.row * 1e6:.1f} µs | {model.constant:.1f} s | "
               f"{model.level / 1e6:.1f} MB | {model.row_bytes:,.0f} |")
    yield ""
    first = next(iter(models.values()))
    yield f"s = {first.serial:.2f}, e = {first.byte * 1e9:.1f} s for 10^9 bytes."
    yield ""


def prediction(models):
    yield "| shape | network | " + " | ".join(f"{m} machine{'s' if m > 1 else ''}" for m in SHOWN) + " |"
    yield "| --- | --- |" + " --- |" * len(SHOWN)
    for shape, model in models.items():
        for name, network in NETWORKS.items():
            cells = []
            for machines in SHOWN:
                seconds, bound = model.predicted(machines, network)
                cells.append(f"{seconds:,.0f} s, {bound}")
            yield f"| {shape} | {name} | " + " | ".join(cells) + " |"


def picture(models):
    width, height, left, right, top, bottom = 720, 340, 64, 210, 30, 44
    shades = ["#0b6e4f", "#1d4e89", "#c1121f", "#b98b2f"]
    curves = [(f"{shape}, {name}", [model.predicted(m, network)[0] for m in MACHINES])
              for shape, model in models.items() for name, network in NETWORKS.items()]
    low = 10 ** math.floor(math.log10(min(min(values) for _, values in curves)))
    high = 10 ** math.ceil(math.log10(max(max(values) for _, values in curves)))

    def x(machines):
        return left + (width - left - right) * math.log10(machines) / math.log10(MACHINES[-1])

    def y(seconds):
        return height - bottom - (height - top - bottom) * math.log10(seconds / low) / math.log10(high / low)

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           'font-size="12"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="{left}" y="18" font-weight="bold">10⁹ rows, predicted seconds of a fit</text>']
    seconds = low
    while seconds <= high * 1.001:
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y(seconds):.1f}" y2="{y(seconds):.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{left - 6}" y="{y(seconds) + 4:.1f}" text-anchor="end">{seconds:,.0f} s</text>')
        seconds *= 10
    for machines in SHOWN:
        out.append(f'<text x="{x(machines):.1f}" y="{height - bottom + 16}" text-anchor="middle">{machines}</text>')
    out.append(f'<text x="{(left + width - right) / 2}" y="{height - 8}" text-anchor="middle">machines of {CORES} cores</text>')
    for n, (name, values) in enumerate(curves):
        dash = ' stroke-dasharray="6 4"' if "100" in name else ""
        points = " ".join(f"{x(m):.1f},{y(v):.1f}" for m, v in zip(MACHINES, values))
        out.append(f'<polyline points="{points}" fill="none" stroke="{shades[n]}" stroke-width="2"{dash}/>')
        at = top + 12 + 18 * n
        out.append(f'<line x1="{width - right + 10}" x2="{width - right + 34}" y1="{at - 4}" y2="{at - 4}" '
                   f'stroke="{shades[n]}" stroke-width="2"{dash}/>')
        out.append(f'<text x="{width - right + 40}" y="{at}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("found", type=Path, metavar="FILE.json")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = json.loads(given.found.read_text())
    models = {shape: Model(found, shape) for shape in ("youtube", "reuters")}
    check = checked(models["youtube"], found)
    models["reuters"].byte, models["reuters"].serial = models["youtube"].byte, models["youtube"].serial
    lines = [*constants(models), *check, *prediction(models)]
    print("\n".join(lines))
    if given.write:
        made = (f"Measured {found['date']}, {found['machine']}, {found['cores']} cores, by `python3 bench/scaling.py`; "
                f"`python3 bench/cost_model.py FILE.json --write`.")
        docs_page.put("scaling.md", "cost-model", "\n".join([*lines, "", made]))
        (ROOT / "docs" / "figures" / "machines.svg").write_text(picture(models))


if __name__ == "__main__":
    main()
