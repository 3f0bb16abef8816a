"""omvc.river: the clusterer for rows one at a time, as river has models.

>>> import omvc.river
>>> model = omvc.river.Clusterer(n_clusters=2, chunk=100)
>>> for i in range(1200):
...     x = {"blood:hb": i % 2 + i / 2000, "scan:size": 3.0 * (i % 2)}
...     if i % 3 == 0:
...         del x["scan:size"]                     # a view is missing
...     model.learn_one(x)
>>> model.predict_one({"scan:size": 0.1}) != model.predict_one({"scan:size": 3.0})
True
"""

from __future__ import annotations

from typing import Any

from ._rows import NothingKnown
from .clusterer import Clusterer as _Plain

try:
    from river import base
except ImportError as error:
    raise ImportError("omvc.river needs river: pip install river") from error


class Clusterer(base.Clusterer):
    """Clusters a stream of rows, each a dict of features, any of which may be absent.

    Features are called "view:feature"; those without a colon are of one view. Clusters keep their numbers while the stream
    goes on, and appear as it shows them where `n_clusters` is None. Before there are clusters, rows have the label
    omvc.NOT_REACHED.

    Parameters
    ----------
    n_clusters
        Number of clusters; as many as the data show where it is None.
    half_life
        Rows after which what was learned counts half; nothing is forgotten where it is None.
    scaling
        How views are brought to scale, as omvc.Clusterer has it.
    memory
        MB for the sample that the model keeps.
    chunk
        Rows that are learned together.
    seed
        Of all randomness.

    """

    def __init__(self, n_clusters: int | None = None, half_life: float | None = None, scaling: Any = None,
                 memory: float | None = None, chunk: int = 500, seed: int = 0) -> None:
        self.n_clusters = n_clusters
        self.half_life = half_life
        self.scaling = scaling
        self.memory = memory
        self.chunk = chunk
        self.seed = seed
        self._learner: Any = None

    def learn_one(self, x: dict[Any, Any]) -> None:
        """Learns one more row, together with others of its chunk."""
        try:
            self.model_.learn_one(x)
        except NothingKnown:
            self.model_.learn_one({})  # features come and go in streams of river: such a row is one without any view

    def predict_one(self, x: dict[Any, Any]) -> int:
        """The number of the cluster; -1 without any known feature, omvc.NOT_REACHED before there are clusters."""
        try:
            return int(self.model_.predict_one(x))
        except NothingKnown:
            return -1

    @property
    def model_(self) -> Any:
        """The omvc.Clusterer that learns: for its report, features, page and file."""
        if self._learner is None:
            self._learner = _Plain(self.n_clusters, half_life=self.half_life, scaling=self.scaling, memory=self.memory,
                                   chunk=self.chunk, seed=self.seed, threads=1)
        return self._learner
