"""Progress of long work: tqdm where it is installed, else a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def silent(stage: str, number: int, instances: int) -> None:
    """Called some times per second, which is when Python sees Ctrl-C."""


@contextmanager
def shown(verbose: Any, what: str, size: int | None = None) -> Iterator[Callable[[str, int, int], None]]:
    """What to call with stage, pass and instances while it works; `size` is that of the data, where it is known."""
    if not verbose:
        yield silent
        return
    try:
        from tqdm.auto import tqdm
    except ImportError:
        yield _lines(what)
        return
    with tqdm(desc=what, unit=" instances", total=size, leave=True) as bar:
        def tell(stage: str, number: int, instances: int) -> None:
            bar.set_description(f"{what}: {stage}{f' (pass {number})' if number > 1 else ''}", refresh=False)
            bar.n = instances
            bar.refresh()

        yield tell


def _lines(what: str) -> Callable[[str, int, int], None]:
    last = [time.monotonic()]

    def tell(stage: str, number: int, instances: int) -> None:
        now = time.monotonic()
        if now - last[0] < 2:
            return
        last[0] = now
        print(f"omvc: {what}: {stage}, pass {max(number, 1)}, {instances} instances", file=sys.stderr)

    return tell
