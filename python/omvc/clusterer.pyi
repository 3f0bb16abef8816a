# Written by tools/python-stubs from clusterer.py and the table of options; change those.
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Unpack

from ._results import Column, Feature, Frame, Level, Report

class How(TypedDict, total=False):
    present: Any
    views: Any
    layer: str | None
    files: Mapping[str, Any] | None

class Clusterer:
    labels_: Column
    confidence_: Column
    distance_: Column
    embedding_: NDArray[np.float64]
    index_: Any
    clusters_: NDArray[np.int_]
    n_clusters_: int
    n_views_in_: int
    view_names_in_: list[str]
    n_features_in_: int
    feature_names_in_: NDArray[np.object_]
    offset_: float
    events_: list[dict[str, Any]]
    n_clusters: int | None
    method: Literal["omvc", "omvc-paper", "onmf-i", "onmf-da", "multinmf", "mic", "opimc", "masked-kmeans", "concat-kmeans"] | None
    rank: int | None
    chunk: int | None
    passes: int | None
    scaling: Literal["auto", "none", "total", "minmax", "standard", "l2", "tfidf", "variance", "log", "clr"] | Sequence[Literal["auto", "none", "total", "minmax", "standard", "l2", "tfidf", "variance", "log", "clr"]] | Mapping[str, Literal["auto", "none", "total", "minmax", "standard", "l2", "tfidf", "variance", "log", "clr"]] | None
    half_life: float | None
    memory: float | None
    recipe: str | Sequence[str] | Mapping[str, str] | None
    alpha: float | Sequence[float] | Mapping[str, float] | None
    beta: float | Sequence[float] | Mapping[str, float] | None
    ridge: float | None
    solver: Literal["hals", "newton", "diagonal"] | None
    rounds: int | None
    tolerance: float | None
    seed: int | None
    threads: int | None
    device: str | None
    device_memory: float | None
    fast: bool | None
    views: Mapping[str, Any] | Sequence[Any] | None
    embedding: bool
    contamination: float | None
    random_state: int | np.random.RandomState | np.random.Generator | None
    n_jobs: int | None
    verbose: bool
    def __init__(
        self,
        n_clusters: int | None = ...,
        *,
        method: Literal["omvc", "omvc-paper", "onmf-i", "onmf-da", "multinmf", "mic", "opimc", "masked-kmeans", "concat-kmeans"] | None = ...,
        rank: int | None = ...,
        chunk: int | None = ...,
        passes: int | None = ...,
        scaling: Literal["auto", "none", "total", "minmax", "standard", "l2", "tfidf", "variance", "log", "clr"] | Sequence[Literal["auto", "none", "total", "minmax", "standard", "l2", "tfidf", "variance", "log", "clr"]] | Mapping[str, Literal["auto", "none", "total", "minmax", "standard", "l2", "tfidf", "variance", "log", "clr"]] | None = ...,
        half_life: float | None = ...,
        memory: float | None = ...,
        recipe: str | Sequence[str] | Mapping[str, str] | None = ...,
        alpha: float | Sequence[float] | Mapping[str, float] | None = ...,
        beta: float | Sequence[float] | Mapping[str, float] | None = ...,
        ridge: float | None = ...,
        solver: Literal["hals", "newton", "diagonal"] | None = ...,
        rounds: int | None = ...,
        tolerance: float | None = ...,
        seed: int | None = ...,
        threads: int | None = ...,
        device: str | None = ...,
        device_memory: float | None = ...,
        fast: bool | None = ...,
        views: Mapping[str, Any] | Sequence[Any] | None = ...,
        embedding: bool = ...,
        contamination: float | None = ...,
        random_state: int | np.random.RandomState | np.random.Generator | None = ...,
        n_jobs: int | None = ...,
        verbose: bool = ...,
    ) -> None: ...
    def get_params(self, deep: bool=True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Clusterer: ...
    def set_output(self, *, transform: str | None=None) -> Clusterer: ...
    def get_feature_names_out(self, input_features: Any=None) -> NDArray[np.object_]: ...
    def __sklearn_is_fitted__(self) -> bool: ...
    def __sklearn_tags__(self) -> Any: ...
    def __repr__(self, N_CHAR_MAX: int=0) -> str: ...
    def _repr_html_(self) -> str: ...
    @property
    def cluster_centers_(self) -> dict[str, Frame]: ...
    @property
    def feature_effects_(self) -> Frame: ...
    @property
    def tree_(self) -> NDArray[np.float64]: ...
    def top_features(self, n: int=10, *, view: str | int | None=None, cluster: int | None=None) -> list[Feature]: ...
    def tree(self, most: int=20) -> list[Level]: ...
    def report(self) -> Report: ...
    def write_page(self, path: Any, *, title: str | None=None, truth: Any=None) -> None: ...
    def predict(self, X: Any, **how: Unpack[How]) -> Column: ...
    def predict_one(self, x: Any) -> int: ...
    def predict_confidence(self, X: Any, **how: Unpack[How]) -> Column: ...
    def predict_proba(self, X: Any, **how: Unpack[How]) -> Frame: ...
    def score_samples(self, X: Any, **how: Unpack[How]) -> Column: ...
    def predict_outlier(self, X: Any, **how: Unpack[How]) -> Column: ...
    def score(self, X: Any, y: Any=None, **how: Unpack[How]) -> float: ...
    def transform(self, X: Any, **how: Unpack[How]) -> Frame: ...
    def impute(self, X: Any, *, views: Any=None, **how: Unpack[How]) -> Any: ...
    def save(self, path: Any, *, predictor: bool=False) -> None: ...
    @classmethod
    def load(cls, path: Any) -> Clusterer: ...
    def copy(self) -> Clusterer: ...
    def __getstate__(self) -> dict[str, Any]: ...
    def __setstate__(self, state: dict[str, Any]) -> None: ...
    def fit(self, X: Any, y: Any=None, *, present: Any=None, views: Any=None, layer: str | None=None, files: Any=None, sample_weight: Any=None) -> Clusterer: ...
    def partial_fit(self, X: Any, y: Any=None, *, present: Any=None, views: Any=None, layer: str | None=None, files: Any=None) -> Clusterer: ...
    def learn_one(self, x: Any) -> Clusterer: ...
    def refresh(self) -> Clusterer: ...
    def cut(self, n_clusters: int | None=None, X: Any=None) -> Clusterer: ...
    def fit_predict(self, X: Any, y: Any=None, **how: Unpack[How]) -> Column: ...
    def fit_transform(self, X: Any, y: Any=None, *, sample_weight: Any=None, **how: Unpack[How]) -> Frame: ...
