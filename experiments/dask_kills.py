#!/usr/bin/env python3
"""Kills a worker of a Dask cluster with SIGKILL at a random moment of a fit, many times, and compares the results.

    python3 experiments/dask_kills.py --kills 50 --write

Every fit must end within the time limit with the labels, confidences and model of omvc.Clusterer in one process, to the
bit. The cluster is a LocalCluster of processes, whose nannies start a new worker for each that dies; where one does not
before the next fit, a new cluster is used. Exits 1 otherwise.
"""
import argparse
import os
import random
import signal
import statistics
import sys
import threading
import time
import warnings

import docs_page
import python_package

ROWS, PARTS, WORKERS = 60000, 24, 3
LIMIT, PATIENCE = 120, 30  # seconds: for a fit, and for a worker that is to be replaced between two of them
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


def fit_in_thread(data, out):
    """A fit in a thread of its own, so that it can be given up; what it throws counts as a difference."""
    import omvc.dask

    def work():
        try:
            model = omvc.dask.Clusterer(**OPTIONS).fit(data)
            out.update(labels=model.labels_.compute(), confidence=model.confidence_.compute(), model=model._bytes)
        except Exception as error:  # whatever it is, it is told
            out["error"] = repr(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def all_alive(client, killed):
    """The processes of the workers, once there are all of them again; none where Dask starts no new one."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            found = sorted(client.run(os.getpid, on_error="ignore").values())
        except Exception:  # one of them is gone
            found = []
        if len(found) == WORKERS and killed not in found:
            return found
        time.sleep(0.1)
    return []


class Trial:
    """Fits on one cluster after another; a cluster whose nannies have given a worker up is replaced."""

    def __init__(self, seed):
        import omvc

        self.views = planted()
        plain = omvc.Clusterer(**OPTIONS).fit(self.views)
        self.expected = {"labels": plain.labels_, "confidence": plain.confidence_, "model": plain._model.to_bytes()}
        self.moments = random.Random(seed)
        self.hangs = self.differences = self.during = self.clusters = 0
        self.usual, self.seconds = 0.0, []

    def run(self, kills):
        import distributed

        while self.during < kills:
            self.clusters += 1
            with distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0",
                                          silence_logs=30) as cluster, distributed.Client(cluster) as client:
                if not self.usual:  # two that are not disturbed tell how long a fit takes
                    self.fit([])
                    self.usual = self.fit([])
                killed = None
                while self.during < kills:
                    workers = all_alive(client, killed)
                    if not workers:
                        break
                    killed = self.moments.choice(workers)
                    self.seconds.append(self.fit([killed]))
                    print(f"{self.during} of {kills}: {self.seconds[-1]:.1f} s", file=sys.stderr, flush=True)

    def fit(self, victims):
        """The seconds that a fit took during which these processes were killed."""
        import dask.array as da
        import numpy as np

        data = [da.from_array(view, chunks=(ROWS // PARTS - 7, view.shape[1])) for view in self.views]
        out = {}
        start = time.monotonic()
        thread = fit_in_thread(data, out)
        for victim in victims:
            time.sleep(self.moments.uniform(0, self.usual))
            self.during += thread.is_alive()
            os.kill(victim, signal.SIGKILL)
        thread.join(LIMIT)
        took = time.monotonic() - start
        same = not thread.is_alive() and "error" not in out and out["model"] == self.expected["model"] and all(
            np.array_equal(out[name], self.expected[name], equal_nan=True) for name in ("labels", "confidence"))
        self.hangs += thread.is_alive()
        self.differences += not same and not thread.is_alive()
        if not same:
            print(out.get("error", "no end" if thread.is_alive() else "other bits"), file=sys.stderr, flush=True)
        return took


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=50, help="that find a fit at work")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--write", action="store_true", help="into docs/scaling.md")
    arguments = parser.parse_args()
    python_package.enter("omvc", "distributed")
    warnings.simplefilter("ignore")
    trial = Trial(arguments.seed)
    trial.run(arguments.kills)
    row = [trial.during, len(trial.seconds) - trial.during, trial.hangs, trial.differences, f"{trial.usual:.1f}",
           f"{statistics.median(trial.seconds):.1f}", f"{max(trial.seconds):.1f}", trial.clusters]
    text = (f"| kills during a fit | after its end | hangs (limit {LIMIT} s) | differences | seconds of a fit | with a kill: median | "
            "longest | clusters used |\n" + "| --- " * len(row) + "|\n| " + " | ".join(map(str, row)) + " |\n\n"
            + docs_page.stamp(f"experiments/dask_kills.py --kills {arguments.kills}",
                              f"LocalCluster of {WORKERS} processes, {ROWS:,} rows in {PARTS + 1} partitions"))
    print(text)
    if arguments.write:
        docs_page.put("scaling.md", "dask-kills", text)
    sys.exit(trial.hangs > 0 or trial.differences > 0)


if __name__ == "__main__":
    main()
