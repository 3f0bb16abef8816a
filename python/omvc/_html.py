"""A model and its report as HTML, for notebooks: plain tables, no scripts."""

from __future__ import annotations

from html import escape
from typing import Any

from ._results import counted

_STYLE = ("<style scoped>.omvc table{border-collapse:collapse}.omvc td,.omvc th{padding:2px 8px;text-align:right}"
          ".omvc th:first-child,.omvc td:first-child{text-align:left}</style>")


def _table(head: list[str], rows: list[list[Any]]) -> str:
    cells = "".join(f"<th>{escape(str(one))}</th>" for one in head)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(one))}</td>" for one in row) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def report_html(report: Any) -> str:
    """Views and clusters of a report."""
    total = report["n"] or 1
    views = [[view["name"], view["features"], f"{view['observed'] / total:.0%}", view["scaling"],
              "" if view["explained"] is None else f"{view['explained']:.0%}"] for view in report["view_details"]]
    sizes = [[number, size] for number, size in zip(report.get("cluster_numbers", []),
                                                   report.get("cluster_sizes", []))]
    notes = "".join(f"<p>{escape(text)}</p>" for text in report.get("warnings", []))
    return (f"<div class='omvc'>{_STYLE}<p>{counted(report['n'], 'instance')}, {counted(report['clusters'], 'cluster')}</p>"
            + _table(["view", "features", "present", "scaling", "explained"], views)
            + (_table(["cluster", "instances"], sizes) if sizes else "") + notes + "</div>")


def clusterer_html(model: Any) -> str:
    """The options that were given, and what was learned."""
    title = f"<div class='omvc'><code>{escape(repr(model))}</code></div>"
    if not model.__sklearn_is_fitted__():
        return title + "<p>not fitted yet</p>"
    return title + report_html(model.report())
