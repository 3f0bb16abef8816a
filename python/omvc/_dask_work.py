"""A fit on a Dask cluster: the steps of omvc's plan as tasks, sums of them as trees."""

from __future__ import annotations

import sys
from typing import Any

from . import _dask_tasks as tasks, _progress
from ._dask_collection import NAMES, Collection, load_dask

_FAN = 8  # values that one task merges


class Work:
    """Tasks for every partition that has instances. Values stay where they were made; the client sees whether a pass
    follows, the model and the report."""

    def __init__(self, spec: tasks.Spec, given: Collection, verbose: bool) -> None:
        self.spec, self.given, self.verbose = spec, given, verbose
        self.shared = self._task(_same, spec)
        self.places = [sum(given.sizes[:i]) for i in range(len(given.sizes))]
        self.labelled: list[Any] = []

    @property
    def dask(self) -> Any:
        return load_dask()  # a module, which cannot be pickled with the rest

    def run(self) -> Any:
        """The bytes of the model, and the report."""
        with _progress.shown(self.verbose, "fit") as tell:
            looks = self._stage(tell, "reading", 0, self._parts(tasks.look))
            if len(looks) > 1:
                ranks = self._sum("ranks", [self._task(tasks.ranks, self.shared, one) for one in looks])
                looks = [self._task(tasks.trim, self.shared, one, ranks) for one in looks]
            state = self._keep(self._task(tasks.make, self.shared, self._sum("looks", looks)))
            del looks
            number = 0
            while self._value(self._task(tasks.wants_pass, self.shared, state)):
                number += 1
                known = self._task(tasks.task, self.shared, state)
                counts = self._stage(tell, "learning", number, self._parts(tasks.count, known))
                state = self._keep(self._task(tasks.end_pass, self.shared, state, self._sum("counts", counts)))
            self.known = self._keep(self._task(tasks.task, self.shared, state))
            self.labelled = self._stage(tell, "labelling", number, self._parts(tasks.label, self.known))
            tallies = self._sum("tallies", [self._task(tasks.tally, one) for one in self.labelled])
            return self._value(self._task(tasks.finish, self.shared, state, tallies))

    def columns(self, what: str) -> list[Any]:
        """A column of every partition."""
        found = iter(self.labelled)
        name, series = NAMES[what], self.given.frames
        return [self._task(tasks.column, next(found), what, name, series) if size
                else self._task(tasks.nothing, what, name, series) for size in self.given.sizes]

    def embeddings(self) -> list[Any]:
        found = iter(self._parts(tasks.embed, self.known))
        return [next(found) if size else None for size in self.given.sizes]

    def _task(self, function: Any, *values: Any) -> Any:
        return self.dask.delayed(function, pure=True, traverse=True)(*values)

    def _parts(self, function: Any, *known: Any) -> list[Any]:
        return [self._task(function, self.shared, *known, part, place)
                for part, place, size in zip(self.given.parts, self.places, self.given.sizes) if size]

    def _sum(self, step: str, values: list[Any]) -> Any:
        while len(values) > 1:
            values = [self._task(tasks.merge, self.shared, step, *values[i:i + _FAN])
                      for i in range(0, len(values), _FAN)]
        return values[0]

    def _keep(self, value: Any) -> Any:
        return self.dask.persist(value)[0]

    def _value(self, value: Any) -> Any:
        return self.dask.compute(value)[0]

    def _stage(self, tell: Any, stage: str, number: int, values: list[Any]) -> list[Any]:
        """Starts tasks of all partitions; where somebody watches, waits for them and tells how far they are."""
        kept = list(self.dask.persist(*values))
        distributed = sys.modules.get("distributed")
        futures = distributed.futures_of(kept) if self.verbose and distributed is not None else []
        done = 0 if futures else sum(self.given.sizes)  # without a cluster they are made by now
        sizes = dict(zip([value.key for value in kept], filter(None, self.given.sizes)))
        for future in distributed.as_completed(futures) if futures else []:
            done += sizes[future.key]
            tell(stage, number, done)
        tell(stage, number, done)
        return kept


def _same(value: Any) -> Any:
    return value
