#!/usr/bin/env python3
"""Kills a worker of a Dask cluster with SIGKILL at a random moment of a fit, many times, and compares the results.

    python3 experiments/dask_kills.py --kills 50 --write

Every fit must end within the time limit with the labels, confidences and model of omvc.Clusterer in one process, to the
bit. The cluster is a LocalCluster of processes, whose nannies start a new worker for each that dies. Exits 1 otherwise.
"""
import argparse
import os
import random
import signal
import statistics
import sys
import threading
import time

import docs_page
import python_package

ROWS, PARTS, WORKERS, LIMIT = 60000, 24, 3, 120
OPTIONS = {"n_clusters": 6, "memory": 4, "passes": 3}


def planted():
    import numpy as np

    random_numbers = np.random.default_rng(5)
    truth = random_numbers.integers(6, size=ROWS)
    views = []
    for features in (20, 60):
        centres = random_numbers.uniform(0, 10, size=(6, features))
        view = centres[truth] + random_numbers.normal(0, 2, size=(ROWS, features))
        view[random_numbers.random(ROWS) < 0.3] = np.nan
        views.append(view)
    return views


def fit_within(limit, data, out):
    """A fit in a thread of its own, which is given up after the limit; what it threw counts as a difference."""
    import omvc.dask

    def work():
        try:
            model = omvc.dask.Clusterer(**OPTIONS).fit(data)
            out.update(labels=model.labels_.compute(), confidence=model.confidence_.compute(), model=model._bytes)
        except Exception as error:  # whatever it is, it is told
            out["error"] = repr(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread, lambda: thread.join(limit)


def all_alive(client, killed):
    """The processes of the workers, once there are all of them again. One that is killed while it starts is not replaced."""
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        try:
            found = sorted(client.run(os.getpid, on_error="ignore").values())
        except Exception:  # one of them is gone
            found = []
        if len(found) == WORKERS and killed not in found:
            return found
        time.sleep(0.1)
    sys.exit(f"the workers did not come back within {LIMIT} s")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="into docs/scaling.md")
    arguments = parser.parse_args()
    python_package.enter("omvc", "distributed")
    import warnings

    import dask.array as da
    import distributed
    import numpy as np

    import omvc

    warnings.simplefilter("ignore")
    views = planted()
    plain = omvc.Clusterer(**OPTIONS).fit(views)
    expected = {"labels": plain.labels_, "confidence": plain.confidence_, "model": plain._model.to_bytes()}
    moments = random.Random(arguments.seed)
    hangs = differences = during = 0
    seconds = []
    with distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0",
                                  silence_logs=50) as cluster, distributed.Client(cluster) as client:
        usual, killed = 0.0, None
        for kill in range(-2, arguments.kills):  # the first two are not disturbed, and tell how long a fit takes
            workers = all_alive(client, killed)
            data = [da.from_array(view, chunks=(ROWS // PARTS - 7, view.shape[1])) for view in views]
            out = {}
            start = time.monotonic()
            thread, wait = fit_within(LIMIT, data, out)
            if kill >= 0:
                time.sleep(moments.uniform(0, usual))
                alive = thread.is_alive()
                during += alive
                killed = moments.choice(workers)
                os.kill(killed, signal.SIGKILL)
            wait()
            took = time.monotonic() - start
            if thread.is_alive():
                hangs += 1
                print(f"kill {kill}: no end after {LIMIT} s")
                break
            same = "error" not in out and out["model"] == expected["model"] and all(
                np.array_equal(out[name], expected[name], equal_nan=True) for name in ("labels", "confidence"))
            differences += not same
            if not same:
                print(f"kill {kill}: {out.get('error', 'other bits')}")
            if kill < 0:
                usual = took
            else:
                seconds.append(took)
    text = (f"| kills | during the fit | hangs (limit {LIMIT} s) | differences | seconds of a fit | with a kill: median | longest |\n"
            "| --- | --- | --- | --- | --- | --- | --- |\n"
            f"| {len(seconds) + hangs} | {during} | {hangs} | {differences} | {usual:.1f} | {statistics.median(seconds):.1f} | "
            f"{max(seconds):.1f} |\n\n"
            + docs_page.stamp(f"experiments/dask_kills.py --kills {arguments.kills}",
                              f"LocalCluster of {WORKERS} processes, {ROWS:,} rows in {PARTS + 1} partitions"))
    print(text)
    if arguments.write:
        docs_page.put("scaling.md", "dask-kills", text)
    sys.exit(hangs > 0 or differences > 0)


if __name__ == "__main__":
    main()
