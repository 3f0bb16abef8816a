#!/usr/bin/env python3
"""A month of a stream in some hours: drift, new words, glitches, a view that dies and comes back, clusters born and gone.

    python3 experiments/stream_month.py --rows 1000000       # without the other libraries, some minutes
    python3 experiments/stream_month.py --rows 20000000      # a month; on stderr, how far it is

Rows have a dense view (8 features) and one of words. Six clusters; one is gone after a third, one is born after half, and
all of them move. One row in 5,000 is a glitch (1e6 to 1e18 in the dense view). New words come all the time. The dense view is
dead in the fifth tenth. `omvc stream --in-step` labels rows as they come. Prints the purity of every twentieth, that of
scikit-learn's MiniBatchKMeans.partial_fit and of river's KMeans on the dense view (clipped to 100, zeros where it is
missing) where these are installed, and the resident memory of omvc. Of more than a million rows the others see every
20th of 20 million: river alone would take hours. Exits 1 if a row was not answered or memory grew by half
in the second half.
"""
import argparse
import collections
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time

CLUSTERS = 6
FEATURES = 8
GLITCH = 5000


def row(i, rows):
    """The id, the line and the cluster of a row."""
    draw = random.Random(i)
    part = i / rows
    alive = [k for k in range(CLUSTERS) if (k != 0 or part < 1 / 3) and (k != 5 or part > 1 / 2)]
    cluster = draw.choice(alive)
    views = {"id": i}
    dead = 0.4 <= part < 0.5
    if not dead and draw.random() > 0.2:
        drift = 3 * part
        numbers = [round(draw.gauss(3 * (j % CLUSTERS == cluster) + drift * (j == cluster), 0.6), 3)
                   for j in range(FEATURES)]
        if draw.randrange(GLITCH) == 0:
            numbers = [draw.choice((1e6, -1e9, 1e12, 1e18))] * FEATURES
        views["numbers"] = numbers
    if len(views) == 1 or draw.random() > 0.2:
        epoch = int(part * 10)  # a tenth of the words of a cluster is new with every tenth of the stream
        words = collections.Counter("c%dw%d" % (cluster, epoch * 3 + draw.randrange(30)) for _ in range(6))
        words.update(["common%d" % draw.randrange(50)])
        views["words"] = dict(words)
    return json.dumps(views) + "\n", cluster


class Others:
    """On-line k-means of other libraries, on the dense view."""

    def __init__(self):
        self.models = {}
        try:
            from sklearn.cluster import MiniBatchKMeans
            self.models["scikit-learn"] = MiniBatchKMeans(CLUSTERS, random_state=0, n_init=1)
        except ImportError:
            pass
        try:
            from river import cluster
            self.models["river"] = cluster.KMeans(n_clusters=CLUSTERS, halflife=0.1, seed=0)
        except ImportError:
            pass
        self.begun = False

    def label(self, batch):
        """Labels of the rows of a batch before it is learned, by model."""
        numbers = [[max(-100.0, min(100.0, x)) for x in line.get("numbers", [0.0] * FEATURES)] for line in batch]
        out = {}
        for name, model in self.models.items():
            if name == "river":
                out[name] = []
                for values in numbers:
                    x = dict(enumerate(values))
                    out[name].append(model.predict_one(x) if self.begun else 0)
                    model.learn_one(x)
            else:
                out[name] = list(model.predict(numbers)) if self.begun else [0] * len(numbers)
                model.partial_fit(numbers)
        self.begun = True
        return out


def purity(pairs):
    """`pairs` counts pairs of a label and a cluster."""
    largest = collections.Counter()
    for (label, _), count in pairs.items():
        largest[label] = max(largest[label], count)
    return sum(largest.values()) / max(1, sum(pairs.values()))


def resident(pid, last):
    """Megabytes; those of before where the process has ended."""
    with open("/proc/%d/status" % pid) as status:
        found = [line for line in status if line.startswith("VmRSS")]
    return int(found[0].split()[1]) / 1024 if found else last


def seconds_of_children():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--omvc", default="build/omvc")
    arguments = parser.parse_args()
    rows = arguments.rows
    folder = tempfile.mkdtemp()
    process = subprocess.Popen(
        [arguments.omvc, "stream", "--model", os.path.join(folder, "month.omvc"), "-k", str(CLUSTERS), "--half-life",
         str(max(2000, rows // 20)), "--in-step", "--quiet"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    sent = collections.deque()  # line and cluster of rows that are not answered yet; the pipes bound it

    def send():
        for i in range(rows):
            sent.append(row(i, rows))
            process.stdin.write(sent[-1][0])
        process.stdin.close()

    threading.Thread(target=send, daemon=True).start()
    others = Others()
    window = max(1, rows // 20)
    stride = max(1, rows // 1_000_000)
    print("| twentieth | omvc |" + "".join(" %s |" % name for name in others.models) + " resident MB |")
    print("| --- | --- |" + " --- |" * len(others.models) + " --- |")
    events = collections.Counter()
    begun = time.monotonic()
    pairs = collections.defaultdict(collections.Counter)
    batch, memory, answered = [], [], 0
    for text in process.stdout:
        answer = json.loads(text)
        if "event" in answer:
            events[answer["event"]] += 1
            continue
        if answer["id"] != answered:
            sys.exit("row %d was not answered" % answered)
        line, truth = sent.popleft()
        answered += 1
        if answer.get("cluster") is not None:
            pairs["omvc"][answer["cluster"], truth] += 1
        if others.models and answered % stride == 0:
            batch.append((json.loads(line), truth))
        if batch and (len(batch) == min(500, window) or answered % window == 0):
            for name, labels in others.label([b[0] for b in batch]).items():
                pairs[name].update(zip(labels, (b[1] for b in batch)))
            batch = []
        if answered % window == 0:
            memory.append(resident(process.pid, memory[-1] if memory else 0))
            cells = ["%.3f" % purity(pairs[name]) for name in ["omvc", *others.models]]
            print("| %d | %s | %.0f |" % (answered // window, " | ".join(cells), memory[-1]), flush=True)
            print("%d rows after %.0f s" % (answered, time.monotonic() - begun), file=sys.stderr, flush=True)
            pairs.clear()
    code = process.wait()
    print("\n%d rows, %d answered, exit %d, %.0f seconds of processors, events: %s" % (
        rows, answered, code, seconds_of_children(), dict(events)))
    grew = memory[-1] > 1.5 * memory[len(memory) // 2]
    sys.exit(1 if code or answered != rows or grew else 0)


main()
