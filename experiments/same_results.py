#!/usr/bin/env python3
"""Runs a stored set of commands with two omvc programs, and compares all that they write to the bit.

    experiments/same_results.py BEFORE AFTER                   all runs; exits 1 where something differs
    experiments/same_results.py BEFORE AFTER --only stream     those with this word in their names
    experiments/same_results.py --list

BEFORE and AFTER are programs, such as /tmp/old/build/omvc and build/omvc. One runs with one thread and the other with
two, since bits must not depend on that. Reports are compared without times, memory, profile, version and command line.
The Python package is compared where both have one: in BUILD/python/package with the interpreter of BUILD/venv-python
(`make test` makes both), or with the interpreters that PYTHON_BEFORE and PYTHON_AFTER name. mpirun is used where it is
found and both programs know MPI. What is left out is named at the end.
"""
import argparse
import fnmatch
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from datasets import DATA, EVERY, MASKED, arguments_of

# What is meant to differ: the name of a run, or "run: output" (either may have *), and the reason.
EXPECTED = {
    "*: predictor": "models for prediction say how their views were stored, so that others are brought to the same",
    "reuters-600, once: report": "data that are read once report the negative entries that were set to 0",
    "*method *: model": "models of comparison methods say how their views were stored",
    "*preset paper*: model": "models of comparison methods say how their views were stored",
    "stream, CSV with semicolons and decimal commas": "streams read the tables that files are",
    "cut --tree": "the tree has the clusters and numbers of `omvc cut`",
    "page of a model, slider": "the slider has the clusters and numbers of `omvc cut`",
    "page of a fit, slider": "the slider has the clusters and numbers of `omvc cut`",
    "Python: impute": "sparse rows of a dense view are imputed as dense ones are",
}

TIMES = {"seconds", "waited", "peak_rss_bytes", "profile", "version", "program", "command", "threads"}
METHODS = ("onmf-i", "onmf-da", "multinmf", "mic", "opimc", "masked-kmeans", "concat-kmeans")
KILLED_AFTER = (4, 2, 1)  # checkpoints; fewer where the run ended before it could be killed
LONGEST = 600  # seconds of a command


class Failed(Exception):
    """A command that ended in another way than it should."""


class Skipped(Exception):
    """A run that cannot be made here, and why."""


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(each) for key, each in value.items() if key not in TIMES}
    return [without_times(each) for each in value] if isinstance(value, list) else value


class Side:
    """One of the two programs at one run: a folder of its own, in which its commands are started."""

    def __init__(self, program, python, folder, threads):
        self.program, self.python, self.folder, self.threads = program, python, folder, threads
        folder.mkdir(parents=True)

    def run(self, arguments, stdin=None, status=0, env=None):
        with open(stdin or os.devnull, "rb") as given:
            done = subprocess.run([str(each) for each in arguments], cwd=self.folder, stdin=given, capture_output=True,
                                  env=env, timeout=LONGEST)
        if status is not None and done.returncode != status:
            raise Failed(f"exit {done.returncode}: {done.stderr.decode(errors='replace').strip()[-300:]}")
        return done.stdout

    def omvc(self, *arguments, threads=True, **more):
        return self.run([self.program, *arguments, *(["--threads", self.threads] if threads else [])], **more)

    def read(self, name):
        return (self.folder / name).read_bytes()

    def fit(self, *arguments, start=(), **more):
        """Everything that a fit writes."""
        out = self.run([*start, self.program, "fit", *arguments, "--labels", "labels.csv", "--embedding", "embedding.npy",
                        "--model", "model.omvc", "--predictor", "predictor.omvc", "--json", "--quiet", "--threads",
                        self.threads], **more)
        return {"report": json.loads(out), "labels": self.read("labels.csv"), "embedding": self.read("embedding.npy"),
                "model": self.read("model.omvc"), "predictor": self.read("predictor.omvc")}

    def stream(self, rows, *arguments, model="model.omvc"):
        out = self.omvc("stream", "--model", model, "--in-step", "--every", 300, "--save-every", "1h", "--quiet",
                        *arguments, stdin=rows)
        return {"lines": out, "model": self.read(model)}


# ---- the data that no folder has ----


class Inputs:
    """Planted data, tables with ids, and lines of a stream, made once with BEFORE."""

    def __init__(self, program, folder):
        self.folder = folder
        folder.mkdir()
        shapes = {"youtube": ["--shape", "youtube", "--rows", 8000], "reuters": ["--shape", "reuters", "--rows", 8000],
                  "planted": ["--rows", 6000, "--features", "20,300", "--density", "1,0.05", "-k", 6, "--missing", 0.3]}
        for name, shape in shapes.items():
            subprocess.run([str(each) for each in (program, "generate", folder / f"{name}.h5mu", "--seed", 1, "--quiet",
                                                   *shape)], check=True)
        self.tables()
        self.digit_parts()

    def path(self, name):
        return self.folder / name

    def tables(self):
        """Three clusters in a dense and a sparse view, each lacking some rows; as CSV by id and as lines of a stream."""
        draw = random.Random(3)
        words = [f"word{i}" for i in range(30)]
        rows = []
        for i in range(2400):
            cluster = draw.randrange(3)
            image = [round(draw.gauss(2 * cluster if j % 3 == cluster else 0, 1), 4) for j in range(6)]
            if draw.random() < 0.05:
                image[draw.randrange(6)] = None
            text = {words[10 * cluster + draw.randrange(10) if draw.random() < 0.8 else draw.randrange(30)]:
                    draw.randrange(1, 6) for _ in range(6)}
            lacks = draw.choice(["", "", "image", "text"])
            rows.append((f"p{i}", None if lacks == "image" else image, None if lacks == "text" else text))

        def write(name, lines):
            self.path(name).write_text("".join(line + "\n" for line in lines))

        def cells(values):
            return ["" if value is None else str(value) for value in values]

        images = [",".join([key, *cells(image)]) for key, image, _ in rows if image]
        texts = [",".join([key, *cells(text.get(word, 0) for word in words)]) for key, _, text in rows if text]
        head = "id," + ",".join(f"f{j}" for j in range(6))
        write("image.csv", [head, *images])
        write("german.csv", [head.replace(",", ";"), *(line.replace(",", ";").replace(".", ",") for line in images)])
        draw.shuffle(texts)  # another order: joined by id
        write("text.csv", ["id," + ",".join(words), *texts])
        write("image-only.csv", [head, *images[:200]])

        lines = [json.dumps({"id": key, **({"image": image} if image else {}), **({"text": text} if text else {})})
                 for key, image, text in rows]
        lines[700:700] = ['{"id": "broken', '{"id": "odd", "sound": [1]}', '{"id": "short", "image": [1, 2]}', '{"id": "none"}']
        write("rows.jsonl", lines)
        write("more.jsonl", lines[-800:])
        # Words behind commas are dense here; the stream takes one kind of view from CSV.
        head = ["id", *(f"image:f{j}" for j in range(6)), *(f"text:{word}" for word in words)]
        table = [[key, *cells(image or [None] * 6), *cells([text.get(word, 0) for word in words] if text else [None] * 30)]
                 for key, image, text in rows]
        write("rows.csv", [",".join(each) for each in [head, *table]])
        write("german-rows.csv", [";".join(each).replace(".", ",") for each in [head, *table]])

    def digit_parts(self):
        """The views of Digit in two halves, in the order of seed 0."""
        order = [int(word) for word in (DATA / "masks" / "digit-order-0.txt").read_text().split()]
        for view in ("fou", "kar", "zer"):
            lines = (DATA / "digit" / f"mfeat-{view}").read_text().splitlines()
            for part, rows in (("first", order[:1200]), ("second", order[1200:])):
                (self.folder / part).mkdir(exist_ok=True)
                self.path(f"{part}/{view}.txt").write_text("".join(lines[row] + "\n" for row in rows))

    def digit(self, part, *views):
        return [f"{view}={self.path(f'{part}/{view}.txt')}" for view in views or ("fou", "kar", "zer")]


# ---- the runs ----


def killed_and_resumed(side, arguments, status):
    """A fit that is ended when it has written some checkpoints, and goes on in another process."""
    command = [side.program, "fit", *arguments, "--labels", "killed.csv", "--quiet", "--checkpoint", "state",
               "--checkpoint-chunks", 1, "--checkpoint-seconds", 0, "--threads", side.threads]
    for most in KILLED_AFTER:
        process = subprocess.Popen([str(each) for each in command], cwd=side.folder, stderr=subprocess.DEVNULL)
        written = set()
        while process.poll() is None and len(written) < most:
            try:
                now = os.stat(side.folder / "state")
                written.add((now.st_ino, now.st_mtime_ns))
            except FileNotFoundError:
                pass
            time.sleep(0.0005)
        process.send_signal(status)
        if (ended := process.wait()) in (-status, 6):
            break
    else:
        raise Failed(f"was to be ended by signal {status} and ended with {ended}")
    side.omvc("fit", *arguments, "--labels", "killed.csv", "--embedding", "killed.npy", "--model", "killed.omvc",
              "--quiet", "--checkpoint", "state", "--checkpoint-chunks", 1, "--checkpoint-seconds", 0, "--resume")
    left = [name for name in os.listdir(side.folder) if name.startswith("state")]
    return {"labels": side.read("killed.csv"), "embedding": side.read("killed.npy"), "model": side.read("killed.omvc"),
            "left behind": json.dumps(left).encode()}


def in_ranks(side, arguments):
    if not shutil.which("mpirun"):
        raise Skipped("there is no mpirun")
    start = ["mpirun", "--oversubscribe", "-n", 3]
    env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    try:
        return side.fit(*arguments, start=start, env=env)
    except Failed as failed:
        if "without MPI" in str(failed):
            raise Skipped(f"{side.program} was built without MPI") from failed
        raise


def facts_of_page(path):
    found = re.search(rb'<script type="application/json" id="facts">(.*?)</script>', path.read_bytes(), re.S)
    return json.loads(found[1])


def slider(facts):
    return {"levels": facts["levels"], "features": facts["features"]}


def without_slider(facts):
    return {key: value for key, value in facts.items() if key not in ("levels", "features")}


def package(side, *what):
    if side.python is None:
        raise Skipped("no Python package: run make test in both, or set PYTHON_BEFORE and PYTHON_AFTER")
    side.run([*side.python, Path(__file__).resolve().parent / "same_results_package.py", *what, "--threads", side.threads])
    return {path.stem: json.loads(path.read_text()) if path.suffix == ".json" else path.read_bytes()
            for path in sorted(side.folder.iterdir()) if path.suffix in (".json", ".npy", ".omvc")}


def whole_sets(inputs, scratch):
    def fit(name, mask, seed, *options):
        return lambda side: side.fit(*arguments_of(name, mask, seed, options, scratch))

    for name in EVERY:
        masked = name in MASKED
        for mask in ("", "cyclic-40", "independent-40") if masked else ("",):
            title = f"{name} {mask}".strip()
            yield title, fit(name, mask, 0)
            yield f"{title}, K left out", fit(name, mask, 0, "-k", 0)
            # One reading makes the prototypes of Hdigit again and again: once is enough.
            if name not in ("hdigit", "coauthor-cs") or mask == "cyclic-40":
                yield f"{title}, once", fit(name, mask, 0, "--once")
        yield f"{name} {'cyclic-40' if masked else ''}".strip() + ", seed 1", fit(name, "cyclic-40" if masked else "", 1)
    yield "digit sorted by class", fit("digit", "sorted", 0)
    yield "digit, more than the sample", fit("digit", "cyclic-40", 0, "--memory", 0.5)
    yield "digit, more than the sample, 3 passes, K left out", fit("digit", "", 0, "--memory", 0.5, "--passes", 3, "-k", 0)
    yield "digit, more than the sample, once", fit("digit", "", 0, "--memory", 0.5, "--once")
    yield "hdigit, more than the sample, 2 passes", fit("hdigit", "independent-40", 0, "--memory", 2, "--passes", 2)
    yield "bdgp, more than the sample", fit("bdgp", "", 0, "--memory", 0.5)
    yield "reuters-600, more than the sample", fit("reuters-600", "", 0, "--memory", 0.5)
    yield "digit, half-life", fit("digit", "", 0, "--half-life", 600)
    yield "digit, half-life, once", fit("digit", "cyclic-40", 0, "--half-life", 600, "--once")
    yield "webkb, half-life, more than the sample", fit("webkb", "", 0, "--half-life", 300, "--memory", 0.3)
    for scaling in ("total", "minmax", "standard", "l2", "tfidf", "variance"):
        yield f"digit, scaling {scaling}", fit("digit", "cyclic-40", 0, "--scaling", scaling, "--memory", 1)
    yield "webkb, scaling none", fit("webkb", "cyclic-40", 0, "--scaling", "none", "--memory", 1)
    for name in ("digit", "webkb"):
        for mask in ("", "cyclic-40"):
            title = f"{name} {mask}".strip()
            yield f"{title}, preset paper", fit(name, mask, 0, "--preset", "paper", "--passes", 2)
            for method in METHODS:
                yield f"{title}, method {method}", fit(name, mask, 0, "--method", method)
    for solver in ("newton", "diagonal"):
        yield f"webkb, preset paper, solver {solver}", fit("webkb", "", 0, "--preset", "paper", "--solver", solver)


def planted_sets(inputs):
    def fit(*arguments):
        return lambda side: side.fit(*arguments)

    for shape, k in (("youtube", 31), ("reuters", 6)):
        data = inputs.path(f"{shape}.h5mu")
        yield f"{shape} shape", fit(data, "-k", k)
        yield f"{shape} shape, K left out", fit(data)
        yield f"{shape} shape, more than the sample", fit(data, "-k", k, "--memory", 2, "--passes", 2)
        yield f"{shape} shape, more than the sample, once", fit(data, "-k", k, "--memory", 2, "--once")
        yield f"{shape} shape, shuffled", fit(data, "-k", k, "--memory", 4, "--shuffle", "--seed", 5)
    small = [inputs.path("planted.h5mu"), "-k", 6, "--memory", 0.3, "--passes", 3]
    yield "killed and resumed", lambda side: killed_and_resumed(side, small, signal.SIGKILL)

    def interrupted(side):
        # With two threads version 0.2 of 2026-11-16 often cannot go on after SIGTERM: its checkpoint counts the first of the
        # chunks that were learned together, and has the fingerprint of them all.
        side.threads = 1
        return killed_and_resumed(side, small, signal.SIGTERM)

    yield "interrupted and resumed", interrupted
    yield "killed and resumed, preset paper", lambda side: killed_and_resumed(
        side, [inputs.path("planted.h5mu"), "-k", 6, "--preset", "paper", "--passes", 2], signal.SIGKILL)
    yield "mpirun, 3 processes", lambda side: in_ranks(side, [inputs.path("planted.h5mu"), "-k", 6])
    yield "mpirun, 3 processes, more than the sample", lambda side: in_ranks(
        side, [inputs.path("planted.h5mu"), "-k", 6, "--memory", 0.3, "--passes", 2])

    def generated(side):
        side.run([side.program, "generate", "out.h5mu", "--rows", 1000, "--features", "8,90", "--density", "1,0.1", "-k", 4,
                  "--missing", 0.2, "--seed", 7, "--quiet"])
        side.run([side.program, "convert", "out.h5mu", "--shuffle", "--seed", 3, "-o", "shuffled.h5mu", "--quiet"])
        return {"planted": side.read("out.h5mu"), "converted": side.read("shuffled.h5mu")}

    yield "generate, convert", generated


def tables_and_streams(inputs):
    image, text = inputs.path("image.csv"), inputs.path("text.csv")
    yield "csv with ids", lambda side: side.fit(image, text, "-k", 3)
    yield "csv with ids, K left out, more than the sample", lambda side: side.fit(image, text, "--memory", 0.1)
    yield "csv with ids, once", lambda side: side.fit(image, text, "-k", 3, "--once")
    yield "csv with semicolons and decimal commas", lambda side: side.fit(inputs.path("german.csv"), "-k", 3)
    yield "csv from a pipe", lambda side: side.fit("image=-", "-k", 3, stdin=image)

    def written(side):
        out = side.fit(image, text, "-k", 3, "--output", "out.h5mu")
        return {"report": out["report"], "output": side.read("out.h5mu")}

    yield "csv with ids, results as h5mu", written

    rows, more = inputs.path("rows.jsonl"), inputs.path("more.jsonl")
    yield "stream, JSON lines", lambda side: side.stream(rows, "-k", 3)
    yield "stream, JSON lines, K left out", lambda side: side.stream(rows)
    yield "stream, JSON lines, half-life", lambda side: side.stream(rows, "-k", 3, "--half-life", 500)
    yield "stream, JSON lines, more than the sample", lambda side: side.stream(rows, "-k", 3, "--memory", 0.1)
    yield "stream, CSV", lambda side: side.stream(inputs.path("rows.csv"), "-k", 3)

    def german(side):  # what a file may be, and a stream may refuse
        return {"lines": side.omvc("stream", "--model", "model.omvc", "--in-step", "--every", 300, "--quiet", "-k", 3,
                                   stdin=inputs.path("german-rows.csv"), status=None)}

    yield "stream, CSV with semicolons and decimal commas", german

    def resumed(side):
        side.stream(rows, "-k", 3)
        first = side.stream(more)
        only = side.omvc("stream", "--model", "model.omvc", "--no-learn", "--quiet", stdin=more)
        return {**first, "lines without learning": only}

    yield "stream, resumed, then without learning", resumed

    def after_fit(side):
        side.fit(image, text, "-k", 3)
        return side.stream(inputs.path("rows.csv"))

    yield "stream, from the model of a fit", after_fit


def verbs(inputs, scratch):
    """What is done with a model, each from a fit of its own."""

    def fitted(then, *options, k=10):
        def run(side):
            side.omvc("fit", *inputs.digit("first"), "-k", k, "--model", "model.omvc", "--predictor", "small.omvc",
                      "--quiet", *options)
            return then(side)
        return run

    def update(side):
        one = side.omvc("update", "model.omvc", *inputs.digit("second"), "-o", "all.omvc", "--json", "--quiet")
        two = side.omvc("update", "all.omvc", *inputs.digit("second", "zer"), "--shuffle", "--json", "--quiet")
        return {"report": json.loads(one), "report of one view": json.loads(two), "model": side.read("all.omvc")}

    def assign(model, *views):
        def run(side):
            data = inputs.digit("second", *views)
            printed = side.omvc("assign", model, *data, "--quiet", threads=False)
            side.omvc("assign", model, *data, "--labels", "labels.txt", "--quiet", threads=False)
            side.omvc("assign", model, *data, "--labels", "both.txt", "--embedding", "embedding.npy", "--chunk", 100,
                      "--output", "out.h5mu", "--quiet", threads=False)
            return {"printed": printed, "labels": side.read("labels.txt"), "labels beside embedding": side.read("both.txt"),
                    "embedding": side.read("embedding.npy"), "output": side.read("out.h5mu")}
        return run

    def cut(k):
        def run(side):
            said = side.omvc("cut", "model.omvc", "-k", k, "-o", "cut.omvc")
            labels = side.omvc("assign", "cut.omvc", *inputs.digit("second"), "--quiet", threads=False)
            return {"said": said, "model": side.read("cut.omvc"), "labels": labels}
        return run

    def info(side):
        return {f"info of {model}": json.loads(side.omvc("info", f"{model}.omvc", "--json", threads=False))
                for model in ("model", "small")}

    def facts(part):
        return lambda side: {"facts": part(json.loads(side.omvc("report", "model.omvc", "--json")))}

    def page(part):
        def run(side):
            arguments = arguments_of("3sources", "", 0, ["--report", "page.html", "--quiet"], scratch)
            side.omvc("fit", *arguments)
            return {"facts": part(facts_of_page(side.folder / "page.html"))}
        return run

    yield "update", fitted(update)
    yield "update, more than the sample, K left out", fitted(update, "--memory", 0.3, k=0)
    yield "update, half-life", fitted(update, "--half-life", 500)
    yield "assign", fitted(assign("model.omvc"))
    yield "assign, one view", fitted(assign("model.omvc", "kar"))
    yield "assign with a predictor", fitted(assign("small.omvc"))
    yield "assign, method opimc", fitted(assign("model.omvc"), "--method", "opimc")
    yield "cut -k 7", fitted(cut(7))
    yield "cut -k 0", fitted(cut(0))
    yield "cut --tree", fitted(lambda side: {"tree": side.omvc("cut", "model.omvc", "--tree", "--to", 16)})
    yield "info", fitted(info)
    yield "info, preset paper", fitted(info, "--preset", "paper")
    yield "page of a model, slider", fitted(facts(slider))
    yield "page of a model, the rest", fitted(facts(without_slider))
    yield "page of a fit, slider", page(slider)
    yield "page of a fit, the rest", page(without_slider)


def model_of_before(inputs, before):
    """Both programs read what BEFORE has written."""
    model = inputs.path("before.omvc")

    def run(side):
        shutil.copy(model, side.folder / "model.omvc")
        data = inputs.digit("second")
        labels = side.omvc("assign", "model.omvc", *data, "--embedding", "embedding.npy", "--labels", "labels.txt", "--quiet",
                           threads=False)
        report = side.omvc("update", "model.omvc", *data, "--json", "--quiet")
        return {"labels": labels + side.read("labels.txt"), "embedding": side.read("embedding.npy"),
                "report": json.loads(report), "model": side.read("model.omvc")}

    def made(side):
        if not model.exists():
            whole = inputs.path(f"before-{side.folder.name}.omvc")
            subprocess.run([str(each) for each in (before, "fit", *inputs.digit("first"), "-k", 10, "--model", whole,
                                                   "--quiet")], check=True)
            os.replace(whole, model)
        return run(side)

    yield "assign and update with the model of BEFORE", made


def packages():
    for what, title in (("plain", "Python: fit, partial_fit, predict"), ("plan", "Python: Plan"), ("dask", "Python: Dask"),
                        ("impute", "Python: impute")):
        yield title, lambda side, what=what: package(side, what)


def all_runs(inputs, scratch, before):
    yield from whole_sets(inputs, scratch)
    yield from planted_sets(inputs)
    yield from tables_and_streams(inputs)
    yield from verbs(inputs, scratch)
    yield from model_of_before(inputs, before)
    yield from packages()


# ---- comparing ----


def entries(raw):
    """The entries of a model file by name (src/file/archive.hpp)."""
    place = 12
    found = {}

    def number(kind):
        nonlocal place
        value = struct.unpack_from("<" + kind, raw, place)[0]
        place += struct.calcsize("<" + kind)
        return value

    for _ in range(number("I")):
        size = number("I")
        key = raw[place:place + size].decode()
        place += size
        kind = number("I")
        shape = [number("Q") for _ in range(number("I"))]
        start, count = place, 1
        for extent in shape:
            count *= extent
        if kind == 4:
            for _ in range(count):
                length = number("Q")
                place += length
        else:
            place += count * (1 if kind == 3 else 8)
        found[key] = (kind, shape, raw[start:place])
    return found


def first_difference(before, after, path=""):
    """Where two values of a report differ, in words."""
    if isinstance(before, dict) and isinstance(after, dict):
        if before.keys() != after.keys():
            return f"{path or 'report'}: {', '.join(sorted(before.keys() ^ after.keys()))} only in one"
        return next(filter(None, (first_difference(before[key], after[key], f"{path}.{key}".lstrip(".")) for key in before)), "")
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return next(filter(None, (first_difference(*pair, f"{path}[{i}]") for i, pair in enumerate(zip(before, after)))), "")
    # NaN is equal to itself here, and 1 is not 1.0.
    return "" if repr(before) == repr(after) else f"{path}: {str(before)[:40]} and {str(after)[:40]}"


def difference(before, after):
    """In words, how two outputs differ; '' where they do not."""
    if not isinstance(before, bytes):
        return first_difference(without_times(before), without_times(after))
    if before == after:
        return ""
    if before[:4] == after[:4] == b"OMVC":
        one, two = entries(before), entries(after)
        names = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
        return "entries " + ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
    if b"\0" not in before + after:
        one, two = before.splitlines(), after.splitlines()
        wrong = sum(a != b for a, b in zip(one, two)) + abs(len(one) - len(two))
        return f"{wrong} of {max(len(one), len(two))} lines"
    place = next((i for i, pair in enumerate(zip(before, after)) if pair[0] != pair[1]), min(len(before), len(after)))
    return f"from byte {place} of {len(before)} and {len(after)}"


def reason_for(run, output):
    """Why this is meant to differ, or nothing."""
    return next((reason for pattern, reason in EXPECTED.items()
                 if fnmatch.fnmatchcase(run, pattern) or fnmatch.fnmatchcase(f"{run}: {output}", pattern)), None)


class Comparison:
    def __init__(self, arguments, folder):
        self.programs = [Path(arguments.before).resolve(), Path(arguments.after).resolve()]
        self.pythons = [python_of(program, os.environ.get(f"PYTHON_{word}"))
                        for program, word in zip(self.programs, ("BEFORE", "AFTER"))]
        self.folder = folder
        self.outputs, self.unexpected, self.expected, self.skipped = 0, [], [], []

    def run(self, number, name, make):
        """A line of the table."""
        start = time.monotonic()
        found = []
        folder = self.folder / f"run-{number}"
        for at, (program, python) in enumerate(zip(self.programs, self.pythons)):
            # The folders have names of one length: some outputs hold their paths.
            side = Side(program, python if all(self.pythons) else None, folder / "ab"[at], 1 + (number + at) % 2)
            try:
                found.append(make(side))
            except Skipped as why:
                self.skipped.append(f"{name}: {why}")
                return f"| {name} | – | left out: {why} | – |"
            except (Failed, OSError, ValueError, LookupError, subprocess.SubprocessError) as why:
                found.append({"failed": f"{why}".encode()})
        shutil.rmtree(folder)
        equal, differ = [], []
        for output in dict.fromkeys([*found[0], *found[1]]):
            if output == "failed":  # also where both fail alike: then the run compares nothing
                differ.append((output, " / ".join(side.get(output, b"(did not fail)").decode() for side in found)))
            elif output not in found[0] or output not in found[1]:
                differ.append((output, "only one has it"))
            elif how := difference(found[0][output], found[1][output]):
                differ.append((output, how))
            else:
                equal.append(output)
        texts = []
        self.outputs += len(equal) + len(differ)
        for output, how in differ:
            reason = reason_for(name, output)
            (self.unexpected if reason is None else self.expected).append(f"{name}: {output}")
            texts.append(f"**{output}** {how}" if reason is None else f"{output} ({reason})")
        text = "; ".join(texts).replace("\n", " ").replace("|", "/")
        return f"| {name} | {', '.join(equal) or '–'} | {text or '–'} | {time.monotonic() - start:.1f} |"


def python_of(program, named):
    """How to start Python with the package of a program; None where there is none."""
    python, path = program.parent / "venv-python" / "bin" / "python", program.parent / "python" / "package"
    if named:
        command = [named]
    elif python.exists() and path.exists():
        command = ["env", f"PYTHONPATH={path}", str(python)]
    else:
        return None
    done = subprocess.run([*command, "-c", "import omvc, numpy, scipy"], capture_output=True)
    return command if done.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", metavar="BEFORE", nargs="?")
    parser.add_argument("after", metavar="AFTER", nargs="?")
    parser.add_argument("--only", metavar="WORD", default="", help="the runs with this word in their names")
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time")
    parser.add_argument("--list", action="store_true", help="print the names of the runs")
    arguments = parser.parse_args()
    if not arguments.list and not (arguments.before and arguments.after):
        parser.error("give two programs")
    if not DATA.is_dir():
        sys.exit(f"no data at {DATA}: set OMVC_DATA")
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="omvc-same-") as folder:
        folder = Path(folder)
        if arguments.list:
            inputs = Inputs.__new__(Inputs)
            inputs.folder = folder
            return print("\n".join(name for name, _ in all_runs(inputs, folder, None)))
        comparison = Comparison(arguments, folder)
        inputs = Inputs(comparison.programs[0], folder / "inputs")
        chosen = [each for each in all_runs(inputs, folder / "sets", comparison.programs[0]) if arguments.only in each[0]]
        print("| run | equal | differs | s |\n| --- | --- | --- | --- |", flush=True)
        with ThreadPoolExecutor(arguments.jobs) as pool:
            for line in pool.map(lambda each: comparison.run(each[0], *each[1]), enumerate(chosen)):
                print(line, flush=True)
    print(f"\n{len(chosen)} runs, {comparison.outputs} outputs compared: {len(comparison.unexpected)} differ, "
          f"{len(comparison.expected)} more as expected; {len(comparison.skipped)} runs left out; "
          f"{time.monotonic() - start:.0f} s")
    for each in comparison.unexpected:
        print(f"differs: {each}")
    sys.exit(1 if comparison.unexpected else 0)


if __name__ == "__main__":
    main()
