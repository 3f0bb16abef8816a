#!/usr/bin/env python3
"""How a default fit scales with threads and with processes on one machine, and whether all of them give the same labels.

    python3 bench/scaling.py [--omvc build/omvc] [--mpirun mpirun] [--out FILE.json]     measures
    python3 bench/scaling.py --from FILE.json --write                                    into docs/scaling.md
    python3 bench/cost_model.py FILE.json --write                                        what it predicts for more machines

Planted data of three shapes: youtube (92,457 instances, three dense views), reuters (111,740, five sparse views) and
embeddings (1,000,000 rows of 384 numbers in one view); ranks are measured on four times the rows of youtube, one thread
each. A larger machine needs this file, the command and its libraries; nothing else is read or installed.
"""

import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ROWS = {"youtube": 92_457, "reuters": 111_740, "embeddings": 1_000_000}
CLUSTERS = {"youtube": 31, "reuters": 6, "embeddings": 50}
SHAPES = {"embeddings": ["--features", "384", "-k", "50", "--missing", "0"]}
MODELLED = ("youtube", "reuters")  # by bench/cost_model.py


def model_name():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def generate(omvc, shape, times, folder):
    path = folder / f"{shape}-{times}.h5mu"
    subprocess.run([*omvc, "generate", path, "--seed", "1", *SHAPES.get(shape, ["--shape", shape]), "--rows",
                    str(ROWS[shape] * times)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return path


def timed(command, labels):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.monotonic() - start, hashlib.sha256(labels.read_bytes()).hexdigest()[:12]


def costs(omvc, shape, times, path, labels):
    """What a fit on one thread takes of its parts, and what its sums are made of."""
    found = subprocess.run([*omvc, "fit", path, "-k", str(CLUSTERS[shape]), "--threads", "1", "--quiet", "--json",
                            "--labels", labels], check=True, capture_output=True, text=True)
    report = json.loads(found.stdout)
    return {"shape": shape, "times": times, "rows": report["n"], "seconds": report["seconds"],
            "results": report["profile"]["results"], "bytes": path.stat().st_size, "clusters": report["clusters"],
            "features": sum(view["features"] for view in report["view_details"]), "prototypes": report["prototypes"],
            "rank": report["rank"], "refined": "refined" in report["found_by"]}


def measure(given, folder):
    omvc = given.omvc.split()
    labels = folder / "labels.txt"
    out = {"machine": model_name(), "cores": os.cpu_count(), "date": str(datetime.date.today()), "counts": given.counts,
           "rows": [], "costs": []}

    def one(kind, shape, times, count, before, path):
        command = [*before, *omvc, "fit", path, "-k", str(CLUSTERS[shape]), "--labels", labels, "--quiet", "--threads",
                   str(count if kind == "threads" else 1)]
        runs = [timed(command, labels) for _ in range(given.repeat)]
        row = {"kind": kind, "shape": shape, "times": times, "count": count, "seconds": min(r[0] for r in runs),
               "labels": runs[0][1]}
        out["rows"].append(row)
        print(json.dumps(row), flush=True)

    for shape in CLUSTERS:
        for times in (1, given.times) if shape in MODELLED else ():
            path = generate(omvc, shape, times, folder)
            out["costs"].append(costs(omvc, shape, times, path, labels))
            path.unlink()
        path = generate(omvc, shape, 1, folder)
        for threads in given.counts:
            one("threads", shape, 1, threads, [], path)
        path.unlink()
    if given.mpirun:
        path = generate(omvc, "youtube", given.times, folder)
        for ranks in given.counts:
            one("ranks", "youtube", given.times, ranks, [*given.mpirun.split(), "-n", str(ranks)] if ranks > 1 else [], path)
    return out


def table(found):
    lines = ["| what | data | 1 | " + " | ".join(str(r["count"]) for r in found["rows"]
                                                if r["kind"] == "threads" and r["shape"] == "youtube" and r["count"] > 1)
             + " | labels |"]
    lines.append("| --- " * (lines[0].count("|") - 1) + "|")
    groups = {}
    for row in found["rows"]:
        groups.setdefault((row["kind"], row["shape"], row["times"]), []).append(row)
    for (kind, shape, times), rows in groups.items():
        base = rows[0]["seconds"]
        cells = [f"{base:.2f} s"] + [f"{base / r['seconds']:.1f} times" for r in rows[1:]]
        same = "identical" if len({r["labels"] for r in rows}) == 1 else "DIFFER"
        lines.append(f"| {kind} | {shape} shape{f', {times} times the rows' if times > 1 else ''} | " + " | ".join(cells)
                     + f" | {same} |")
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--omvc", default=str(ROOT / "build" / "omvc"))
    options.add_argument("--mpirun", default="", help="measures ranks, too")
    options.add_argument("--counts", type=lambda text: [int(n) for n in text.split(",")], default=[1, 2])
    options.add_argument("--times", type=int, default=4, help="rows of the data for ranks, relative to the shape")
    options.add_argument("--repeat", type=int, default=1)
    options.add_argument("--scratch", help="folder for the data")
    options.add_argument("--out")
    options.add_argument("--from", dest="found")
    options.add_argument("--write", action="store_true", help="into docs/scaling.md")
    given = options.parse_args()
    if given.found:
        found = json.loads(Path(given.found).read_text())
    else:
        with tempfile.TemporaryDirectory(dir=given.scratch) as scratch:
            found = measure(given, Path(scratch))
    if given.out:
        Path(given.out).write_text(json.dumps(found))
    print(table(found))
    if given.write:
        sys.path.insert(0, str(ROOT / "experiments"))
        import docs_page
        made = (f"Measured {found['date']}, {found['machine']}, {found['cores']} cores; "
                f"`python3 bench/scaling.py --counts {','.join(str(c) for c in found['counts'])} --mpirun mpirun`.")
        docs_page.put("scaling.md", f"cores-{found['cores']}", f"{table(found)}\n\n{made}")


if __name__ == "__main__":
    main()
