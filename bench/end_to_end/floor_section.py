"""Whole passes against the floor, 2 threads against 1, and against the paper's Table IV: one set of runs."""
import filecmp
import json
import tempfile
from pathlib import Path

from common import CLUSTERS, LARGE_CHUNK, OPTIONS, run, short, table

PAPER = {"digit": 27.47, "webkb": 16.69, "reuters": 1964, "youtube": 1548}  # Table IV, seconds per pass


def passes_of(report):
    """The products of every pass as omvc_floor wants them."""
    def text(one):
        return f"{one['columns']}:{one['times']}:{one['transpose_times']}"
    return [part for each in report["per_pass"] for part in ("--pass", ",".join(map(text, each["products"])))]


def products_a_block(report):
    """How often one view of one chunk is multiplied in a pass, on average."""
    chunks = -(-report["n"] // report["chunk"]) * report["views"] * len(report["per_pass"])
    every = sum(one["times"] + one["transpose_times"] for each in report["per_pass"] for one in each["products"])
    return every / chunks


def floor_of(bench, name, report, threads):
    """Seconds of the products of all passes by the fastest libraries, their names, and seconds in single precision."""
    common = [bench.scaled(name), "--chunk", report["chunk"], "--threads", threads, *passes_of(report)]
    found = json.loads(run([bench.build / "bench" / "omvc_floor", *common]))
    python = bench.peers("floor", *common)

    def best(kind):
        of_kind = [each for each in found + python if each["sparse"] == kind and each["bytes"] == 8]
        return min(of_kind, key=lambda each: min(each["seconds"]), default=None)

    chosen = [each for each in (best(False), best(True)) if each]
    single = [min(each["seconds"]) for each in found if each["bytes"] == 4]
    bench.record("libraries", data=name, threads=threads, libraries=found + python)
    return (sum(min(each["seconds"]) for each in chosen), " and ".join(each["library"] for each in chosen),
            single[0] if single and len(chosen) == 1 else None)


def measure(bench, name, scratch):
    """Fits and floors in turns, so that both see the machine in the same state; the least of each, since other work on the
    machine only ever adds to it."""
    options = OPTIONS + LARGE_CHUNK.get(name, [])
    data, k = bench.data(name), CLUSTERS[name]
    labels = {threads: Path(scratch) / f"{threads}.txt" for threads in bench.arguments.threads}
    fits = {threads: [] for threads in bench.arguments.threads}
    floors = {threads: [] for threads in bench.arguments.threads}
    alone = []
    for _ in range(bench.arguments.repeat):
        for threads in bench.arguments.threads:
            fits[threads].append(bench.fit(data, k, options, threads, labels[threads]))
            if threads == 1:
                alone.append(bench.processor_seconds(data, k, options))
            floors[threads].append(floor_of(bench, name, fits[threads][0], threads))
    same = len(labels) < 2 or filecmp.cmp(labels[2], labels[1], shallow=False)
    floors = {threads: min(floors[threads], key=lambda each: each[0]) for threads in bench.arguments.threads}
    # Who has two threads may leave one of them alone.
    if 2 in floors and 1 in floors and floors[1][0] < floors[2][0]:
        floors[2] = (floors[1][0], floors[1][1] + " on 1 thread", floors[2][2])
    result = {"data": name, "same_labels": same, "products": products_a_block(fits[bench.arguments.threads[0]][0])}
    passes = len(fits[bench.arguments.threads[0]][0]["per_pass"])
    for threads in bench.arguments.threads:
        seconds, library, single = floors[threads]
        result[str(threads)] = {
            "seconds": min(sum(each["pass_seconds"]) for each in fits[threads]) / passes if threads > 1 else min(alone) / passes,
            "waiting": min(each["waiting"] for each in fits[threads]),
            "floor": seconds / passes, "library": library, "single": single and single / passes,
        }
    result["profile"] = fits[bench.arguments.threads[0]][0].get("profile")
    bench.record("floor", **result)
    return result


def floor(bench):
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for name in bench.arguments.data:
            results.append(measure(bench, name, scratch))
    rows = []
    for each in results:
        for threads in bench.arguments.threads:
            of = each[str(threads)]
            rows.append([each["data"], threads, f"{each['products']:.1f}",
                         short(of["seconds"]), short(of["floor"]), of["library"],
                         f"{of['seconds'] / of['floor']:.2f}", short(of["single"]) if of["single"] else "–",
                         f"{of['waiting']:.1%}"])
    bench.publish("floor", table(["data", "threads", "products per block", "omvc, s per pass", "floor, s per pass",
                                  "floor by", "ratio", "floor in single precision, s", "waiting"], rows))
    if len(bench.arguments.threads) > 1:
        rows = [[each["data"], short(each["1"]["seconds"]), short(each["2"]["seconds"]),
                 f"{each['1']['seconds'] / each['2']['seconds']:.2f}",
                 f"{each['1']['floor'] / each['2']['floor']:.2f}", "identical" if each["same_labels"] else "DIFFERENT"]
                for each in results]
        bench.publish("threads", table(["data", "1 thread, s per pass", "2 threads, s per pass", "times faster",
                                        "the floor: times faster", "labels"], rows))
    rows = [[each["data"], PAPER[each["data"]], short(each["1"]["seconds"]),
             f"{PAPER[each['data']] / each['1']['seconds']:.0f}"]
            for each in results if each["data"] in PAPER and "1" in each]
    if rows:
        bench.publish("paper", table(["data", "Table IV, s per pass", "`--preset paper`, first pass, s", "times faster"], rows))
