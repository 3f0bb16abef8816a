#!/usr/bin/env python3
"""Measures `omvc stream`: rows per second, and what they take of processors beside parsing alone, resident memory, and how long a label takes.

    bench/stream.py throughput --rows 5000000        planted rows through a pipe: two dense views of 8 and 20 features,
                                                     40 % missing; seconds of processors are those of all threads
    bench/stream.py latency --rates 200 5000         from a row written to its label read
    bench/stream.py throughput latency --write       also puts the tables into docs/streaming.md

Needs build/omvc, and omvc_stream_rows, which `make bench-build` makes (build-bench/bench).
"""
import argparse
import array
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

READER = """
import array, sys, time
times = array.array("d")
for line in iter(sys.stdin.buffer.readline, b""):
    if line.startswith(b'{"id"'):
        times.append(time.monotonic())
sys.stdout.buffer.write(times.tobytes())
"""
ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "experiments"))
import docs_page  # noqa: E402


def resident(pid):
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1000
    return 0


def parsing(rows_tool, rows):
    """Microseconds of a processor that reading and parsing a row takes, of so many rows."""
    writer = subprocess.Popen([rows_tool, "write", str(rows)], stdout=subprocess.PIPE)
    parser = subprocess.Popen([rows_tool, "parse"], stdin=writer.stdout, stdout=subprocess.PIPE, text=True)
    assert int(parser.stdout.read().split()[1]) == rows
    used = os.wait4(parser.pid, 0)[2]
    writer.wait()
    return 1e6 * (used.ru_utime + used.ru_stime) / rows


def processor_seconds(pid):
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def throughput(arguments, say):
    parse = parsing(arguments.rows_tool, min(arguments.rows, 500_000))
    marks = sorted({arguments.rows // 5, arguments.rows // 2, arguments.rows})
    say(f"--memory {arguments.memory:g}:\n\n| rows | seconds | rows/s | seconds of processors | rows for each of these | "
        "parsing alone | times that | resident MB |")
    say("| --- | --- | --- | --- | --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        writer = subprocess.Popen([arguments.rows_tool, "write", str(arguments.rows)], stdout=subprocess.PIPE)
        command = [arguments.omvc, "stream", "--model", f"{folder}/model.omvc", "-k", "10", "--quiet", "--memory",
                   str(arguments.memory)]
        stream = subprocess.Popen(command, stdin=writer.stdout, stdout=subprocess.PIPE, bufsize=1 << 20)
        start = time.monotonic()
        rows = 0
        for line in stream.stdout:
            if not line.startswith(b'{"id"'):
                continue
            rows += 1
            if rows in marks:
                seconds = time.monotonic() - start
                used = processor_seconds(stream.pid)
                say(f"| {rows:,} | {seconds:.0f} | {rows / seconds:,.0f} | {used:.1f} | {rows / used:,.0f} | "
                    f"{parse * rows / 1e6:.1f} | {used / (parse * rows / 1e6):.0f} | {resident(stream.pid):.0f} |")
        assert stream.wait() == 0 and writer.wait() == 0 and rows == arguments.rows


def latency(arguments, say):
    say("| rows/s | rows | median, ms | 99th percentile, ms | largest, ms |")
    say("| --- | --- | --- | --- | --- |")
    for rate in arguments.rates:
        count = int(rate * arguments.seconds)
        lines = subprocess.run([arguments.rows_tool, "write", str(count)], capture_output=True,
                               check=True).stdout.splitlines(keepends=True)
        with tempfile.TemporaryDirectory() as folder:
            command = [arguments.omvc, "stream", "--model", f"{folder}/model.omvc", "-k", "10", "--quiet"]
            stream = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
            # Labels are read by a process of its own, which does not wait for the one that writes rows.
            reader = subprocess.Popen([sys.executable, "-c", READER], stdin=stream.stdout, stdout=subprocess.PIPE)
            stream.stdout.close()
            sent = [0.0] * count
            start = time.monotonic()
            for i, line in enumerate(lines):
                ahead = start + i / rate - time.monotonic()
                if ahead > 0:
                    time.sleep(ahead)
                sent[i] = time.monotonic()
                stream.stdin.write(line)
            stream.stdin.close()
            taken = array.array("d", reader.communicate()[0])
            assert stream.wait() == 0 and len(taken) == count
        waits = sorted(1000 * (b - a) for a, b in zip(sent, taken))
        say(f"| {rate:,} | {count:,} | {waits[count // 2]:.1f} | {waits[int(0.99 * count)]:.1f} | {waits[-1]:.0f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", default="build/omvc")
    parser.add_argument("--rows-tool", default="build-bench/bench/omvc_stream_rows")
    parser.add_argument("--rows", type=int, default=5_000_000, help="of throughput")
    parser.add_argument("--memory", type=float, default=64, help="of throughput: MB for the sample of the model")
    parser.add_argument("--rates", type=int, nargs="+", default=[200, 5000], help="of latency, rows per second")
    parser.add_argument("--seconds", type=float, default=60, help="of latency, each rate")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("what", nargs="*", default=["throughput", "latency"])
    arguments = parser.parse_args()
    for what in arguments.what:
        lines = []

        def say(text):
            lines.append(text)
            print(text, flush=True)

        load = f"load {os.getloadavg()[0]:.1f} at the start"
        {"throughput": throughput, "latency": latency}[what](arguments, say)
        if arguments.write:
            lines += ["", docs_page.stamp(f"bench/stream.py {what} --write", load)]
            docs_page.put("streaming.md", f"bench/stream.py {what}", "\n".join(lines))


if __name__ == "__main__":
    main()
