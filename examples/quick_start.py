#!/usr/bin/env python3
"""From two DataFrames, in which different samples are missing, to clusters.

    python3 examples/quick_start.py
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import omvc


def planted(rows: int = 300, seed: int = 0) -> tuple[pd.DataFrame, pd.DataFrame, pd.Series[int]]:
    """Three kinds of patients by blood and by scan; a quarter of them lack one of the two."""
    random = np.random.default_rng(seed)
    patients = pd.Index([f"patient{i}" for i in range(rows)])
    kind = random.integers(3, size=rows)
    blood = pd.DataFrame(random.normal(3.0 * kind[:, None] * (np.arange(5) % 2), 1.0, (rows, 5)), index=patients)
    scan = pd.DataFrame(random.normal(2.0 * ((kind[:, None] + np.arange(8)) % 3), 1.0, (rows, 8)), index=patients)
    return (blood.add_prefix("blood").drop(patients[::8]), scan.add_prefix("scan").drop(patients[1::8]),
            pd.Series(kind, index=patients))


def main() -> None:
    blood, scan, kind = planted()
    model = omvc.Clusterer(n_clusters=3).fit({"blood": blood, "scan": scan})
    print(model.report())
    print(pd.crosstab(model.labels_, kind, rownames=["cluster"], colnames=["planted"]))
    for feature in model.top_features(3):
        if feature.high:
            print(f"cluster {feature.cluster}, {feature.view}: {feature.feature} ({feature.lift:.1f} times the mean)")
    print(model.predict({"scan": scan.head(3)}))


if __name__ == "__main__":
    main()
