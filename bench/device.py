#!/usr/bin/env python3
"""What a card does, beside processors and PyTorch: docs/gpu.md.

    make cuda bench-build                            what is packed
    python3 bench/device.py pack FOLDER              programs, libraries and data, for a machine that has nothing of ours
    python3 bench/device.py run FOLDER OUT [PART...] there: one line of JSON for each measurement, into the folder OUT
    python3 bench/device.py write FILE...            those lines as tables, into docs/gpu.md

Parts: kernels (shares of the card's arithmetic), rows (neighbours), torch (the same work in PyTorch, in the same run),
fits (whole fits, on processors and on the card), file (fits of a file), bits (all data sets, fit on processors and on the
card, compared to the bit), kills (killed on the card, resumed on processors), sanitizer (compute-sanitizer over the
kernels), service (rows that threads label with one model: docs/cpp.md), tests (those of the card's operations against
those of processors, which `make build` makes). Without a name: all.

The folder also has what bench/scaling.py needs there: bin/omvc, and mpi.tar with Open MPI of Debian, to be unpacked in /.
"""

import argparse
import filecmp
import importlib.util
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))

PROGRAMS = {"omvc": "build-bench/omvc", "fit": "build-bench/bench/device/omvc_device_fit",
            "rows": "build-bench/bench/device/omvc_device_rows", "kernels": "build-bench/bench/device/omvc_device_kernels",
            "service": "build-bench/bench/omvc_service", "tests": "build/tests/omvc_tests"}
MPI = ("openmpi-bin", "openmpi-common", "libopenmpi3", "libpmix2")
C_LIBRARY = ("ld-linux", "libc.so", "libm.so", "libpthread.so", "libdl.so", "librt.so", "libresolv.so")
SHAPES = [(2_000_000, 512, 1000)] + [(1_000_000, d, m) for d in (20, 200, 2000) for m in (100, 1000, 4000)]
CASES = [("digit", ""), ("digit", "cyclic-40"), ("digit", "independent-40"), ("hdigit", ""), ("hdigit", "cyclic-40"),
         ("hdigit", "independent-40"), ("webkb", ""), ("webkb", "cyclic-40"), ("webkb", "independent-40"),
         ("reuters-1200", ""), ("reuters-1200", "cyclic-40"), ("reuters-1200", "independent-40"), ("reuters-600", ""),
         ("3sources", ""), ("bbcsport", ""), ("bdgp", ""), ("citeseq", ""), ("coauthor-cs", ""),
         ("bdgp-two-views", "half")]
PAPER = [("digit", ""), ("digit", "cyclic-40"), ("webkb", ""), ("reuters-1200", ""), ("hdigit", ""), ("bbcsport", ""),
         ("citeseq", ""), ("bdgp", ""), ("3sources", "")]
LARGE = {"dense, two views of 768 and 512": ["--features", "768,512", "-k", "100"],
         "sparse, five views of 2,000": ["--features", "2000,2000,2000,2000,2000", "--density", "0.01", "-k", "6"]}


def pack(folder):
    """Programs and their libraries; the C library lies apart, for machines whose own is older."""
    for name in ("bin", "lib", "libc"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name, path in PROGRAMS.items():
        subprocess.run(["strip", "-o", folder / "bin" / name, ROOT / path], check=True)
        for line in subprocess.run(["ldd", ROOT / path], capture_output=True, text=True, check=True).stdout.splitlines():
            words = line.split()
            library = next((word for word in words if word.startswith("/")), None)
            if library:
                part = "libc" if Path(library).name.startswith(C_LIBRARY) else "lib"
                shutil.copy(library, folder / part)
    shutil.copy(ROOT / "build-bench" / "libomvc_cuda.so", folder / "lib")
    from datasets import DATA
    shutil.copytree(DATA, folder / "data", dirs_exist_ok=True)
    if shutil.which("mpirun"):
        files = subprocess.run(["dpkg", "-L", *MPI], capture_output=True, text=True, check=True).stdout.splitlines()
        wanted = [name for name in files if os.path.lexists(name) and not os.path.isdir(name) and "/share/doc/" not in name
                  and "/share/man/" not in name]
        # Configuration and commands are links to what Debian calls alternatives.
        subprocess.run(["tar", "-cf", folder / "mpi.tar", "--dereference", *wanted, shutil.which("mpirun")], check=True,
                       stderr=subprocess.DEVNULL)
        for line in subprocess.run(["ldd", shutil.which("mpirun")], capture_output=True, text=True).stdout.splitlines():
            words = line.split()
            library = next((word for word in words if word.startswith("/")), None)
            if library and not Path(library).name.startswith(C_LIBRARY):
                shutil.copy(library, folder / "lib")


class Machine:
    def __init__(self, folder, out):
        self.folder, self.out = folder, out
        self.lines = open(out / "device.jsonl", "w")
        self.environment = {**os.environ, "LD_LIBRARY_PATH": str(folder / "lib"), "OMVC_DATA": str(folder / "data"),
                            "OMVC_CUDA_LIBRARY": str(folder / "lib" / "libomvc_cuda.so")}
        os.environ["OMVC_DATA"] = str(folder / "data")
        self.start = []
        if subprocess.run([folder / "bin" / "omvc", "--version"], env=self.environment, capture_output=True).returncode != 0:
            self.start = [str(folder / "libc" / "ld-linux-x86-64.so.2"), "--library-path", f"{folder}/libc:{folder}/lib"]
        self.threads = os.cpu_count()

    def command(self, program, *words):
        return [*self.start, str(self.folder / "bin" / program), *map(str, words)]

    def call(self, program, *words, everything=False):
        """Standard output; a run that fails is told and leaves nothing."""
        environment = {**self.environment, **({"OMVC_CUDA_EVERYTHING": "1"} if everything else {})}
        done = subprocess.run(self.command(program, *words), capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            print(f"{program} {' '.join(map(str, words))}: exit {done.returncode}: {done.stderr[-2000:]}", flush=True)
            return None
        return done.stdout

    def tell(self, part, text, **more):
        if text is not None:
            line = {"part": part, **more, **(json.loads(text) if isinstance(text, str) else text)}
            print(json.dumps(line), flush=True)
            print(json.dumps(line), file=self.lines, flush=True)


def kernels(machine):
    for rows, features, prototypes in SHAPES:
        for missing in (0, 0.4) if rows == 2_000_000 else (0,):
            for fast in (0, 1):
                machine.tell("kernels", machine.call("kernels", rows, features, prototypes, missing, fast))


def rows(machine):
    for shape in ((80_000, 512, 600, 0), (80_000, 512, 600, 1), (80_000, 64, 600, 1), (2_000_000, 512, 1000, -1)):
        machine.tell("rows", machine.call("rows", *shape, machine.threads))


def torch(machine):
    """Nearest 6 of the prototypes for rows on the card, and neighbours of rows, as a user of PyTorch writes them."""
    try:
        import torch as library
    except ImportError:
        print("torch: not here", flush=True)
        return
    library.backends.cuda.matmul.allow_tf32 = False

    def median_ms(work):
        times = []
        for _ in range(6):
            begin, end = library.cuda.Event(enable_timing=True), library.cuda.Event(enable_timing=True)
            begin.record()
            work()
            end.record()
            library.cuda.synchronize()
            times.append(begin.elapsed_time(end))
        return statistics.median(times[1:])

    def nearest(X, P, count, rows_at_once, square=None):
        for first in range(0, len(X), rows_at_once):
            here = X[first:first + rows_at_once]
            distances = library.addmm((P * P).sum(1)[None], here, P.T, alpha=-2)
            library.topk(distances, count, dim=1, largest=False)

    X = library.rand(2_000_000, 512, device="cuda")
    P = library.rand(1000, 512, device="cuda")
    S = X[:80_000].contiguous()
    for fast in (False, True):
        library.backends.cuda.matmul.allow_tf32 = fast
        near = median_ms(lambda: nearest(X, P, 6, 1 << 18))
        product = median_ms(lambda: [X[first:first + (1 << 18)] @ P.T for first in range(0, len(X), 1 << 18)])
        machine.tell("torch", {"work": "prototypes", "fast": fast, "near_ms": near, "product_ms": product})
        machine.tell("torch", {"work": "rows", "fast": fast, "near_ms": median_ms(lambda: nearest(S, S, 11, 1 << 13))})
    machine.tell("peers", {"here": [name for name in ("cuml", "faiss", "flash_kmeans") if importlib.util.find_spec(name)]})


def fits(machine):
    for device, threads in (("cuda", machine.threads), ("cuda+fast", machine.threads), ("cpu", machine.threads)):
        machine.tell("fits", machine.call("fit", 4_000_000, 100, 0.4, device, threads, 768, 512))


def file(machine):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        path = f"{scratch}/rows.h5mu"
        machine.call("omvc", "generate", path, "--rows", 2_000_000, "--features", "768,512", "-k", 100, "--missing", 0.4, "--quiet")
        size = os.path.getsize(path)
        begin = time.monotonic()
        with open(path, "rb", buffering=0) as read:
            while read.read(1 << 24):
                pass
        floor = time.monotonic() - begin
        for device in ("cuda", "cpu"):
            begin = time.monotonic()
            done = machine.call("omvc", "fit", path, "-k", 100, "--device", device, "--threads", machine.threads, "--quiet",
                                "--report", f"{scratch}/{device}.json", "--labels", f"{scratch}/{device}.csv")
            if done is None:
                continue
            report = json.loads(Path(f"{scratch}/{device}.json").read_text())
            machine.tell("file", {"rows": 2_000_000, "bytes": size, "device": device, "told": report.get("device"),
                                  "seconds": time.monotonic() - begin, "read_once": floor, "profile": report["profile"]})


def same(scratch, name, ways):
    """Fits in every way, and compares labels, embedding and model with the first's to the bit."""
    outputs = {}
    for way in ways:
        outputs[way] = {kind: f"{scratch}/{name}-{way}{kind}" for kind in (".csv", ".npy", ".omvc")}
    first = outputs[ways[0]]
    return {way: all(os.path.exists(first[kind]) and os.path.exists(each[kind]) and filecmp.cmp(first[kind], each[kind], shallow=False) for kind in first)
            for way, each in outputs.items() if way != ways[0]}


def bits(machine):
    from datasets import arguments_of
    ways = {"cpu-1": ("cpu", 1), "cuda-1": ("cuda", 1), f"cuda-{machine.threads}": ("cuda", machine.threads)}

    def compare(name, arguments, scratch):
        begin = time.monotonic()
        told = ""
        for way, (device, threads) in ways.items():
            out = f"{scratch}/{name}-{way}"
            done = machine.call("omvc", "fit", *arguments, "--device", device, "--threads", threads, "--quiet", "--labels",
                                f"{out}.csv", "--embedding", f"{out}.npy", "--model", f"{out}.omvc", "--report",
                                f"{out}.json", everything=True)
            if done is not None and device == "cuda":
                told = json.loads(Path(f"{out}.json").read_text()).get("device")
        found = same(scratch, name, list(ways))
        machine.tell("bits", {"case": name, "same_bits": all(found.values()), "told": told, "ways": found,
                              "seconds": time.monotonic() - begin})

    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        for name, mask in CASES:
            compare(f"{name} {mask}".strip(), arguments_of(name, mask, 0, [], scratch), scratch)
        for name, mask in PAPER:
            compare(f"{name} {mask}, preset paper".replace(" ,", ","),
                    arguments_of(name, mask, 0, ["--preset", "paper", "--passes", 2], scratch), scratch)
        for name, options in LARGE.items():
            path = f"{scratch}/large.h5mu"
            machine.call("omvc", "generate", path, "--rows", 100_000, *options, "--missing", 0.4, "--quiet")
            compare(name, [path, "-k", options[options.index("-k") + 1]], scratch)
            os.unlink(path)


def kills(machine):
    if machine.start:
        return print("kills: the C library here is older than that of the programs", flush=True)
    done = subprocess.run([sys.executable, ROOT / "experiments" / "kill_resume.py", "--omvc", machine.folder / "bin" / "omvc",
                           "--cycles", "20", "--rows", "20000", "--devices", "cuda,cpu"], capture_output=True, text=True,
                          env={**machine.environment, "OMVC_CUDA_EVERYTHING": "1"})
    machine.tell("kills", {"said": done.stdout.strip(), "exit": done.returncode, "errors": done.stderr[-500:]})


def sanitizer(machine):
    """Kernels alone, neighbours, and whole fits of dense and sparse rows with views missing, on tensor cores and without."""
    if not shutil.which("compute-sanitizer"):
        return print("sanitizer: not here", flush=True)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as scratch:
        paths = {}
        for name, features, density in (("dense", "40,30", "1,1"), ("sparse", "300,200", "0.05,0.05")):
            paths[name] = f"{scratch}/{name}.h5mu"
            machine.call("omvc", "generate", paths[name], "--rows", 1500, "--features", features, "--density", density, "-k", 4,
                         "--missing", 0.3, "--quiet")
        fit = ("-k", 4, "--device", "cuda", "--threads", 2, "--quiet")
        for tool in ("memcheck", "racecheck", "initcheck"):
            for words in (("kernels", 20000, 60, 130, 0.4, 0, 1), ("kernels", 20000, 60, 130, 0.4, 1, 1),
                          ("rows", 3000, 40, 60, 0, 4), ("rows", 3000, 40, 60, 1, 4), ("omvc", "fit", paths["dense"], *fit),
                          ("omvc", "fit", paths["sparse"], *fit)):
                under_sanitizer(machine, tool, words, scratch)


def under_sanitizer(machine, tool, words, scratch):
    begin = time.monotonic()
    done = subprocess.run(["compute-sanitizer", "--tool", tool, "--target-processes", "all", "--error-exitcode", "9",
                           *machine.command(*words)], capture_output=True, text=True,
                          env={**machine.environment, "OMVC_CUDA_EVERYTHING": "1"})
    summary = [line for line in done.stdout.splitlines() if "SUMMARY" in line]
    machine.tell("sanitizer", {"tool": tool, "words": " ".join(map(str, words)).replace(f"{scratch}/", ""), "exit": done.returncode,
                               "said": summary or done.stdout[-600:] + done.stderr[-300:],
                               "seconds": time.monotonic() - begin})


def service(machine):
    """Lines of bench/service.cpp: threads, then rows per second of the Clusterer and of a Snapshot, by the clock and on a core."""
    for line in (machine.call("service", machine.threads, 1) or "").splitlines():
        threads, *rates = line.split()
        machine.tell("service", {"threads": int(threads), "rates": [float(rate) for rate in rates]})


def tests(machine):
    done = subprocess.run(machine.command("tests", "--gtest_filter=Device/*Real*", "--gtest_brief=1"), capture_output=True,
                          text=True, env={**machine.environment, "OMVC_TEST_CARD": "1"})
    machine.tell("tests", {"exit": done.returncode, "said": (done.stdout + done.stderr)[-400:]})


PARTS = {part.__name__: part for part in (tests, kernels, rows, torch, bits, kills, service, fits, file, sanitizer)}


def about_card():
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                              text=True).stdout.strip()
    except OSError:
        return "no card"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    verbs.add_parser("pack").add_argument("folder", type=Path)
    run = verbs.add_parser("run")
    run.add_argument("folder", type=Path)
    run.add_argument("out", type=Path)
    run.add_argument("parts", nargs="*", choices=[[], *PARTS])
    verbs.add_parser("write").add_argument("files", nargs="+", type=Path)
    arguments = parser.parse_args()
    if arguments.verb == "pack":
        return pack(arguments.folder)
    if arguments.verb == "write":
        import device_tables
        return device_tables.write(arguments.files)
    machine = Machine(arguments.folder.resolve(), arguments.out)
    machine.tell("machine", {"card": about_card(), "cores": machine.threads, "date": time.strftime("%Y-%m-%d")})
    for part in arguments.parts or PARTS:
        begin = time.monotonic()
        PARTS[part](machine)
        print(f"{part}: {time.monotonic() - begin:.1f} s", flush=True)


if __name__ == "__main__":
    main()
