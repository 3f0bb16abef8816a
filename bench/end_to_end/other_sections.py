"""The sections of bench/end_to_end.py beside the floor: MiniBatchNMF, growth, instruction counts, other programs."""
import json
import os
import shlex
import subprocess
import tempfile
import time

from common import CLUSTERS, CONFIGS, median, run, short, table
from floor_section import products_a_block

THREADS = 2
ROUNDS = ("60", "1")  # on a chunk at most: the default, and as many as MiniBatchNMF has


def squared_error(bench, name, report):
    """Of an instance, over its observed views, from the share of each view's squares that a factorisation explains."""
    views = json.loads((bench.scaled(name) / "data.json").read_text())["views"]
    left = sum((1 - view["explained"]) * scaled["squares"] for view, scaled in zip(report["view_details"], views))
    return left / (report["n"] - report["unobserved"])


def nmf(bench):
    """Both minimise the squared error of the same scaled data: omvc without its ridge is that and nothing else."""
    rows = []
    for name in bench.arguments.data:
        ours = {}
        for rounds in ROUNDS:
            options = [*CONFIGS["one"][1], "--ridge", "0", "--rounds", rounds]
            fits = [bench.fit(bench.data(name), CLUSTERS[name], options, THREADS) for _ in range(bench.arguments.repeat)]
            ours[rounds] = (median(sum(each["pass_seconds"]) for each in fits), squared_error(bench, name, fits[0]))
        passes = len(fits[0]["per_pass"])
        common = ["nmf", bench.scaled(name), "--rank", fits[0]["rank"], "--chunk", fits[0]["chunk"], "--passes", passes,
                  "--limit", bench.arguments.nmf_limit]
        # On small data its BLAS is the slower for a second thread; it gets as many as serve it best.
        tried = {threads: bench.peers(*common, "--threads", threads)["fits"] for threads in (1, THREADS)}
        threads = min(tried, key=lambda each: tried[each][0]["seconds"])
        common += ["--threads", threads]
        theirs = [tried[threads], *(bench.peers(*common)["fits"] for _ in range(bench.arguments.repeat - 2))]
        theirs.append(bench.peers(*common, "--until", min(loss for _, loss in ours.values()))["fits"])
        same = median(each[0]["seconds"] for each in theirs)
        for rounds, (seconds, loss) in ours.items():
            bench.record("nmf", data=name, rounds=rounds, seconds=seconds, loss=loss, threads=threads, fits=theirs[-1])
            reached = next((each for each in theirs[-1] if each["loss"] <= loss), None)
            last = reached or theirs[-1][-1]
            rows.append([name, rounds, short(seconds / passes), f"{loss:.4f}", short(same / passes),
                         f"{theirs[-1][0]['loss']:.4f}", f"{same / seconds:.1f}",
                         f"{last['passes']}" if reached else f"not in {last['passes']}: {last['loss']:.4f}",
                         f"{'' if reached else 'more than '}{last['seconds'] / seconds:.1f}"])
    bench.publish("nmf", table(["data", "rounds at most", "omvc, s per pass", "loss", "MiniBatchNMF, s per pass", "its loss",
                                "omvc faster, same passes", "passes of MiniBatchNMF to the loss of omvc",
                                "omvc faster, same loss"], rows))


def growth(bench):
    """Seconds per instance from small to large. Small sets are run more often, since their times are short."""
    rows = []
    sizes = bench.arguments.sizes
    for config in [each for each in ("one", "default") if each in bench.arguments.configs]:
        measured = []
        for size in sizes:
            path = bench.planted(f"growth-{size}", "--rows", size, "--features", "16,500", "--density", "1,0.02", "-k",
                                 "5", "--missing", "0.4")
            often = max(bench.arguments.repeat, min(20, 1_000_000 // size))
            fits = [bench.fit([path], 5, CONFIGS[config][1], THREADS) for _ in range(often)]
            passes = len(fits[0]["per_pass"])
            measured.append({
                "size": size, "products": products_a_block(fits[0]),
                "first": median(each["pass_seconds"][0] for each in fits) / size,
                "seconds": median(sum(each["pass_seconds"]) for each in fits) / passes / size,
                "waiting": median(each["waiting"] for each in fits), "peak": fits[0]["peak_rss_bytes"]})
        for each in measured:
            bench.record("growth", config=config, **each)
            rows.append([CONFIGS[config][0], f"{each['size']:,}", f"{1e6 * each['first']:.3f}",
                         f"{1e6 * each['seconds']:.3f}", f"{each['seconds'] / measured[-1]['seconds']:.2f}",
                         f"{each['products']:.1f}", f"{each['waiting']:.1%}", f"{each['peak'] / 1e6:.0f}"])
    bench.publish("growth", table(["options", "instances", "first pass, µs an instance", "all passes, µs an instance",
                                   "against the largest", "products per block", "waiting", "peak MB"], rows))


def instructions(bench):
    rows = []
    for name in [each for each in ("digit", "webkb") if each in bench.arguments.data]:
        for config in ("paper", "default"):
            options = [*CONFIGS[config][1], "--passes", "1"] if config == "default" else CONFIGS[config][1]
            with tempfile.NamedTemporaryFile() as out:
                run(["valgrind", "--tool=callgrind", f"--callgrind-out-file={out.name}", bench.build / "omvc", "fit",
                     *bench.data(name), "-k", CLUSTERS[name], "--seed", "0", "--threads", "1", "--quiet", "--json",
                     *options])
                with open(out.name, encoding="utf-8") as lines:
                    counts = [int(line.split()[1]) for line in lines if line.startswith("summary:")]
            count = sum(counts)  # a part for every thread where callgrind separates them
            bench.record("instructions", data=name, config=config, instructions=count)
            rows.append([name, CONFIGS[config][0], f"{count:,}"])
    tools = "; ".join(run([tool, "--version"]).splitlines()[0] for tool in ("valgrind", "c++"))
    bench.publish("instructions", table(["data", "options, one pass, one thread", "instructions"], rows)
                  + f"\nCounted with {tools}.\n")


def others(bench):
    """Programs that the user names, whole runs against whole runs of omvc."""
    rows = []
    for name in bench.arguments.data:
        data, k = bench.data(name), CLUSTERS[name]
        whole = median(bench.fit(data, k, [], THREADS)["seconds"] for _ in range(bench.arguments.repeat))
        for other in bench.arguments.other:
            title, command = other.split("=", 1)
            places = {"data": shlex.join(map(str, data)), "scaled": shlex.quote(str(bench.scaled(name))), "k": k}
            text = command.format(**places) if "{" in command else f"{command} {places['data']}"
            times = []
            for _ in range(bench.arguments.repeat):
                start = time.perf_counter()
                subprocess.run(text, shell=True, check=True, stdout=subprocess.DEVNULL,
                               env={**os.environ, "OMP_NUM_THREADS": str(THREADS)})
                times.append(time.perf_counter() - start)
            bench.record("others", data=name, other=title, seconds=times, omvc=whole)
            rows.append([name, title, short(median(times)), short(whole), f"{median(times) / whole:.1f}"])
    if rows:
        bench.publish("others", table(["data", "program", "s", "omvc, default, s", "omvc faster"], rows))
