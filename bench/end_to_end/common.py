"""What the sections of bench/end_to_end.py share: data sets, runs of omvc and of its peers, tables on a page."""
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import datasets  # noqa: E402
import docs_page  # noqa: E402

CLUSTERS = {"digit": 10, "webkb": 2, "hdigit": 10, "reuters": 6, "youtube": 31}
OPTIONS = ["--preset", "paper", "--passes", "1"]  # what is timed
LARGE_CHUNK = {"reuters": ["--chunk", "2000"], "youtube": ["--chunk", "2000"]}  # of the paper's preset, as in the paper


def run(arguments, **more):
    done = subprocess.run([str(each) for each in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **more)
    if done.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, arguments))}\n{done.stderr}")
    return done.stdout


def table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(map(str, line)) + " |\n" for line in lines)


def short(seconds):
    return f"{seconds:.3g}"


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.build = Path(arguments.build).resolve()
        self.folder = Path(arguments.folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.written = set()
        self.results = []  # everything measured, for --json

    def omvc(self, *arguments):
        return run([self.build / "omvc", *arguments])

    def planted(self, name, *shape):
        """A planted set, written where it is not there yet."""
        path = self.folder / f"omvc-{name}.h5mu"
        if not path.exists():
            self.omvc("generate", path, "--seed", "1", *shape)
        return path

    def data(self, name):
        """The arguments of omvc fit that name a data set, without K."""
        if name in ("reuters", "youtube"):
            rows = self.arguments.rows
            path = self.planted(f"{name}-{rows}" if rows else name, "--shape", name, *(["--rows", rows] if rows else []))
            return [path]
        every = datasets.SETS[name](self.folder)
        paths = every[:every.index("-k")]
        order = ["--order", datasets.DATA / "masks" / f"{name}-order-0.txt"]
        mask = self.arguments.mask
        return [*paths, *order, *(["--present", datasets.DATA / "masks" / f"{name}-{mask}-0.txt"] if mask else [])]

    def scaled(self, name):
        """The same data as the solver sees them, written once by every run of the benchmark."""
        mask = f"-{self.arguments.mask}" if self.arguments.mask else ""
        rows = f"-{self.arguments.rows}" if self.arguments.rows and name in ("reuters", "youtube") else ""
        folder = self.folder / f"scaled-{name}{mask}{rows}"
        if folder not in self.written:
            self.written.add(folder)
            run([self.build / "bench" / "omvc_scaled", folder, *self.data(name)])
        return folder

    def fit(self, data, clusters, options, threads, labels=None):
        """The summary of a fit, with the seconds of its passes and the share of them spent waiting."""
        more = ["--labels", labels] if labels else []
        report = json.loads(self.omvc("fit", *data, "-k", clusters, "--seed", "0", "--threads", threads, "--json",
                                      "--quiet", *options, *more))
        report["pass_seconds"] = [each["seconds"] for each in report["per_pass"]]
        report["waiting"] = sum(each["waited"] for each in report["per_pass"]) / sum(report["pass_seconds"])
        return report

    def processor_seconds(self, data, clusters, options):
        """Those of the passes of a fit on one thread, its readers included."""
        options = options[options.index("--passes"):]
        out = json.loads(run([self.build / "bench" / "omvc_passes", *data, "-k", clusters, *options]))
        return sum(each["seconds"] for each in out["per_pass"])

    def python(self):
        """The interpreter of the virtual environment of the peers, which is made if it is not there."""
        home = self.build / "venv-bench"
        wanted = (ROOT / "tools" / "requirements-bench.txt").read_text()
        done = home / "installed.txt"
        if not done.exists() or done.read_text() != wanted:
            run([sys.executable, "-m", "venv", home])
            run([home / "bin" / "python", "-m", "pip", "install", "-q", "--disable-pip-version-check",
                 "-r", ROOT / "tools" / "requirements-bench.txt"])
            done.write_text(wanted)
        return home / "bin" / "python"

    def peers(self, *arguments):
        threads = str(arguments[arguments.index("--threads") + 1])
        limits = {name: threads for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")}
        return json.loads(run([self.python(), Path(__file__).parent / "peers.py", *arguments],
                              env={**os.environ, **limits}))

    def record(self, section, **values):
        self.results.append({"section": section, **values})

    def command(self):
        threads = self.arguments.threads
        return "bench/end_to_end.py --write" + ("" if threads == [2, 1] else f" --threads {','.join(map(str, threads))}")

    def publish(self, section, text):
        """Prints a block of docs/performance.md and, where asked for, puts it there."""
        text += "\n" + docs_page.stamp(self.command(), f"the least of {self.arguments.repeat}") + "\n"
        print(text, flush=True)
        if self.arguments.write:
            docs_page.put("performance.md", f"end-to-end {section}", text)
