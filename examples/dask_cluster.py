#!/usr/bin/env python3
"""Clusters of data that are spread over the workers of a Dask cluster; `pip install dask distributed` first.

    python3 examples/dask_cluster.py                             workers of its own on this machine
    python3 examples/dask_cluster.py tcp://scheduler:8786        those of a scheduler that runs already
"""

from __future__ import annotations

import sys

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

import omvc.dask


def block(number: int, rows: int, features: int) -> np.ndarray:
    """Some instances of four kinds, made where they are needed; every fifth lacks the view."""
    random = np.random.default_rng([number, features])
    kind = np.random.default_rng(number).integers(4, size=rows)
    view = random.normal(3.0 * ((kind[:, None] + np.arange(features)) % 4), 1.0)
    view[features % 5::5] = np.nan
    return view


def view(features: int, rows: int = 1500, blocks: int = 8) -> da.Array:
    numbers = da.arange(blocks, chunks=1)
    return numbers.map_blocks(lambda n: block(int(n[0]), rows, features), new_axis=1, dtype=float,
                              chunks=((rows,) * blocks, (features,)))


def main() -> None:
    cluster = sys.argv[1] if len(sys.argv) > 1 else LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    with Client(cluster):
        model = omvc.dask.Clusterer(n_clusters=4).fit({"blood": view(6), "scan": view(9)})
        print(model.report())
        print(model.labels_)
        print(np.unique(model.labels_.compute(), return_counts=True))


if __name__ == "__main__":
    main()
