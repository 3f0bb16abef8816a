#!/usr/bin/env python3
"""A fit by processes that reach each other only through a slow network: the time it takes, and whether the bits are the same.

    python3 experiments/slow_network.py                  as root, on Linux
    python3 experiments/slow_network.py --write          also puts the table into docs/scaling.md

Every process is in a network namespace of its own, whose only way out is a TUN device. This script carries the packets from
one device to another, each 10 ms late (--delay) and no faster than 100 Mbit/s in or out of a namespace (--mbit). That is
what `tc netem` would do, which not every kernel has. The same fit with the processes side by side stands beside it.
"""
import argparse
import fcntl
import hashlib
import heapq
import os
import select
import struct
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import docs_page

ROOT = Path(__file__).resolve().parent.parent
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
MTU = 8000


def run(*words):
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)


class Network:
    """Namespaces omvc-net-1 .. n with the addresses 10.99.0.1 .. n, and a thread that carries their packets."""

    def __init__(self, hosts, delay, mbit):
        self.delay, self.seconds_a_byte = delay, 8 / (mbit * 1e6)
        self.names = [f"omvc-net-{host}" for host in range(1, hosts + 1)]
        self.devices = []
        self.bytes = 0
        self.going = True
        for host, name in enumerate(self.names, 1):
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL, check=False)
            run("ip", "netns", "add", name)
            device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
            fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", f"omvc{host}".encode(), IFF_TUN | IFF_NO_PI))
            self.devices.append(device)
            run("ip", "link", "set", f"omvc{host}", "netns", name)
            inside = ("ip", "-n", name)
            run(*inside, "link", "set", "lo", "up")
            run(*inside, "addr", "add", f"10.99.0.{host}/24", "dev", f"omvc{host}")
            run(*inside, "link", "set", f"omvc{host}", "mtu", str(MTU), "txqueuelen", "2000", "up")
        self.thread = threading.Thread(target=self.carry, daemon=True)
        self.thread.start()

    def carry(self):
        waiting, free_out, free_in, number = [], [0.0] * len(self.devices), [0.0] * len(self.devices), 0
        poll = select.poll()
        for device in self.devices:
            poll.register(device, select.POLLIN)
        index = {device: at for at, device in enumerate(self.devices)}
        while self.going:
            now = time.monotonic()
            while waiting and waiting[0][0] <= now:
                _, _, to, packet = heapq.heappop(waiting)
                try:
                    os.write(self.devices[to], packet)
                except OSError:
                    pass  # lost, as packets are; TCP sends it again
            pause = min(100, max(0, (waiting[0][0] - now) * 1000)) if waiting else 100
            for device, _ in poll.poll(pause):
                source = index[device]
                try:
                    packet = os.read(device, MTU + 64)
                except BlockingIOError:
                    continue
                to = packet[19] - 1 if len(packet) > 20 and packet[0] >> 4 == 4 and packet[16:19] == b"\x0a\x63\x00" else -1
                if not 0 <= to < len(self.devices):
                    continue
                now = time.monotonic()
                took = len(packet) * self.seconds_a_byte
                free_out[source] = max(now, free_out[source]) + took
                free_in[to] = max(free_out[source], free_in[to] + took)
                self.bytes += len(packet)
                heapq.heappush(waiting, (free_in[to] + self.delay, number, to, packet))
                number += 1

    def close(self):
        self.going = False
        self.thread.join()
        for name, device in zip(self.names, self.devices):
            os.close(device)
            subprocess.run(["ip", "netns", "del", name], check=False)


def agent(folder):
    """What mpirun starts other hosts with in the place of ssh: HOST COMMAND..., in the namespace of the host."""
    path = Path(folder) / "agent.sh"
    path.write_text('#!/bin/sh\nhost=${1##*.}\nshift\n'
                    'exec ip netns exec "omvc-net-$host" unshare --uts sh -c "hostname omvc-net-$host; $*"\n')
    path.chmod(0o755)
    return path


def timed(words, labels):
    start = time.monotonic()
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL, timeout=1800)
    return time.monotonic() - start, hashlib.sha256(Path(labels).read_bytes()).hexdigest()[:12]


def measure(given, folder):
    omvc, data, labels = given.omvc.resolve(), Path(folder) / "data.h5mu", Path(folder) / "labels.txt"
    run(omvc, "generate", data, "--shape", "youtube", "--rows", str(given.rows), "--seed", "1", "--quiet")
    fit = [omvc, "fit", data, "-k", "31", "--labels", labels, "--threads", "1", "--quiet"]
    mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    rows = [("one process", *timed(fit, labels), 0)]
    rows.append((f"{given.ranks} processes side by side",
                 *timed([*mpirun, "--mca", "btl", "tcp,self", "-n", given.ranks, *fit], labels), 0))
    network = Network(given.ranks, given.delay / 1000, given.mbit)
    try:
        hosts = ",".join(f"10.99.0.{host}" for host in range(1, given.ranks + 1))
        words = ["ip", "netns", "exec", network.names[0], "unshare", "--uts", "sh", "-c",
                 f"hostname {network.names[0]}; exec \"$@\"", "sh", *mpirun, "--host", hosts, "--mca", "btl", "tcp,self",
                 "--mca", "plm_rsh_agent", agent(folder), "--mca", "btl_tcp_if_include", "10.99.0.0/24", "--mca",
                 "oob_tcp_if_include", "10.99.0.0/24", "-n", given.ranks, *fit]
        name = f"{given.ranks} processes, {given.delay:g} ms and {given.mbit:g} Mbit/s between them"
        rows.append((name, *timed(words, labels), network.bytes))
    finally:
        network.close()
    yield "| processes | seconds | MB that travelled | labels |"
    yield "| --- | --- | --- | --- |"
    for name, seconds, digest, sent in rows:
        same = "identical" if digest == rows[0][2] else "DIFFER"
        yield f"| {name} | {seconds:.1f} | {f'{sent / 1e6:.0f}' if sent else '–'} | {same} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--omvc", type=Path, default=ROOT / "build" / "omvc")
    parser.add_argument("--rows", type=int, default=92457)
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--delay", type=float, default=10, metavar="MS")
    parser.add_argument("--mbit", type=float, default=100)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    if os.getuid() != 0:
        sys.exit("network namespaces are made by root")
    with tempfile.TemporaryDirectory() as folder:
        lines = list(measure(given, folder))
    print("\n".join(lines))
    if given.write:
        docs_page.put("scaling.md", "slow-network", "\n".join([*lines, "", docs_page.stamp("experiments/slow_network.py --write")]))
    sys.exit(1 if any("DIFFER" in line for line in lines) else 0)


if __name__ == "__main__":
    main()
