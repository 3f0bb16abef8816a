#!/usr/bin/env python3
"""The data of the three walks of docs/walks.md, and every number that omvc prints of them beside pandas and scikit-learn.

    python3 experiments/walks.py                  the table; exits with 1 where two numbers differ
    python3 experiments/walks.py --keep FOLDER    leaves the data there
    python3 experiments/walks.py --write          also puts the table into docs/walks.md
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import docs_page

ROOT = Path(__file__).resolve().parent.parent
PATIENTS, LINES, ITEMS = 900, 6000, 3000


def make_patients(folder):
    """Two tables about patients of three kinds: numbers, words, a date, a remark; patients and cells missing."""
    r = np.random.default_rng(42)
    kind = r.choice(3, PATIENTS, p=[0.5, 0.3, 0.2])
    ids = [f"P{i:04d}" for i in r.choice(np.arange(1000, 9999), PATIENTS, replace=False)]

    def normal(means, spread, digits):
        return np.round(r.normal(np.array(means)[kind], spread), digits)

    blood = pd.DataFrame({
        "patient": ids, "hb": normal([14, 12, 13.5], 1, 1), "crp": np.round(r.lognormal(np.array([0.5, 2.5, 1])[kind], 0.6), 1),
        "wbc": normal([6.5, 9, 6.8], 1.3, 1), "creatinine": normal([80, 85, 140], 15, 0), "sex": r.choice(["F", "M"], PATIENTS),
        "ward": r.choice(["A3", "B1", "B2", "C4"], PATIENTS),
        "drawn": pd.Timestamp("2024-01-01") + pd.to_timedelta(r.integers(0, 300, PATIENTS), unit="D"),
        "remark": [f"visit {i} was ok" for i in range(PATIENTS)]})
    asked = pd.DataFrame({
        "patient": ids, "age": normal([45, 55, 68], 9, 0), "bmi": normal([24, 26, 30], 3, 1),
        "steps": np.round(r.lognormal(np.array([9, 8.3, 8])[kind], 0.35)), "sleep": normal([7.5, 6, 7], 0.8, 1),
        "smoker": np.where(r.random(PATIENTS) < np.array([0.15, 0.5, 0.3])[kind], "yes", "no")})
    blood = blood[r.random(PATIENTS) < 0.75].reset_index(drop=True)
    asked = asked[r.random(PATIENTS) < 0.7].sample(frac=1, random_state=1).reset_index(drop=True)
    for column in ("hb", "crp", "wbc", "creatinine"):
        blood.loc[r.random(len(blood)) < 0.04, column] = np.nan
    asked.loc[r.random(len(asked)) < 0.05, "bmi"] = np.nan
    blood.to_csv(folder / "blood.csv", index=False)
    asked.to_csv(folder / "questionnaire.csv", index=False)
    pd.DataFrame({"patient": ids, "diagnosis": np.array(["healthy", "inflammation", "kidney"])[kind]}).to_csv(
        folder / "diagnosis.csv", index=False)


def make_log(folder):
    """Lines of a server of four kinds: a text and two numbers, either of which may be missing."""
    r = np.random.default_rng(7)
    kinds = {"login": (["user %d logged in", "session opened for user %d", "token refreshed for user %d"], 45, 8, 900, 200),
             "search": (["query returned %d results", "slow query on index %d", "cache miss for query %d"], 180, 40, 9000, 2500),
             "payment": (["payment %d accepted", "card charged for invoice %d", "invoice %d sent"], 600, 120, 2500, 500),
             "error": (["upstream timeout after %d retries", "exception in handler %d", "request %d failed"], 3000, 600, 400, 100)}
    with open(folder / "app.jsonl", "w") as lines, open(folder / "kinds.csv", "w") as truth:
        truth.write("request,kind\n")
        for i in range(LINES):
            name = str(r.choice(list(kinds), p=[0.4, 0.3, 0.2, 0.1]))
            texts, ms, ms_spread, size, size_spread = kinds[name]
            line = {"request": f"r{i}"}
            if r.random() < 0.7:
                line["message"] = str(r.choice(texts)) % r.integers(1, 900)
            if r.random() < 0.8:
                line.update(ms=round(max(1.0, r.normal(ms, ms_spread)), 1), bytes=int(max(50, r.normal(size, size_spread))))
            lines.write(json.dumps(line) + "\n")
            truth.write(f"r{i},{name}\n")


def make_items(folder):
    """Embeddings of pictures and titles of items of six kinds, with ids, each for a part of the items."""
    r = np.random.default_rng(11)
    kind = r.integers(0, 6, ITEMS)
    ids = np.array([f"item{i:05d}" for i in range(ITEMS)])

    def embedding(width, noise):
        rows = r.normal(0, 1, (6, width))[kind] + r.normal(0, noise, (ITEMS, width))
        return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)

    pictures, titles = embedding(128, 3.0), embedding(48, 1.8)
    with_picture, with_title = r.random(ITEMS) < 0.7, r.random(ITEMS) < 0.8
    np.savez(folder / "pictures.npz", pictures=pictures[with_picture], ids=ids[with_picture])
    table = pd.DataFrame(titles, index=pd.Index(ids, name="sku")).add_prefix("t")
    table[with_title].to_csv(folder / "titles.csv")
    pd.DataFrame({"sku": ids, "category": [f"kind{k}" for k in kind]}).to_csv(folder / "categories.csv", index=False)


def run(folder, *words, stdin=None, stdout=None):
    with open(folder / stdin if stdin else "/dev/null") as given, open(folder / (stdout or "out.txt"), "w") as shown:
        subprocess.run([ROOT / "build" / "omvc", *words], cwd=folder, stdin=given, stdout=shown, stderr=subprocess.DEVNULL, check=True)
    return (folder / (stdout or "out.txt")).read_text()


def read_labels(path):
    if path.suffix == ".csv":
        return pd.read_csv(path, index_col=0)["label"]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    found = {line["id"]: line["cluster"] for line in lines if "event" not in line and line.get("cluster") is not None}
    return pd.Series(found)


def scores(folder, labels, truth):
    """The scores that omvc prints beside those of scikit-learn."""
    printed = json.loads(run(folder, "evaluate", labels, truth, "--json"))
    label = read_labels(folder / labels)
    both = pd.DataFrame({"label": label[label >= 0], "kind": pd.read_csv(folder / truth, index_col=0).iloc[:, 0]}).dropna()
    counts = pd.crosstab(both.label, both.kind).to_numpy()
    rows, columns = linear_sum_assignment(-counts)
    yield "instances scored", printed["n"], len(both)
    yield "NMI", printed["nmi"], normalized_mutual_info_score(both.kind, both.label, average_method="geometric")
    yield "AC", printed["ac"], counts[rows, columns].sum() / len(both)
    yield "ARI", printed["ari"], adjusted_rand_score(both.kind, both.label)
    yield "purity", printed["purity"], counts.max(axis=1).sum() / len(both)


def tables(folder):
    make_patients(folder)
    files = ("blood.csv", "questionnaire.csv")
    views = [pd.read_csv(folder / file, index_col=0) for file in files]
    looked = json.loads(run(folder, "look", *files, "--json"))
    fitted = json.loads(run(folder, "fit", *files, "--labels", "labels.csv", "--model", "m.omvc", "--json"))
    told = json.loads(run(folder, "info", "m.omvc", "--json", "--top", "100"))
    saved = pd.read_csv(folder / "labels.csv", index_col=0)
    yield "instances", looked["instances"], len(views[0].index.union(views[1].index))
    yield "instances in both tables", looked["in_views"][2], len(views[0].index.intersection(views[1].index))
    for view, table, found in zip(looked["views"], views, fitted["view_details"]):
        used = table[[column["name"] for column in view["columns"]]]
        yield f"cells missing, {view['name']}", view["missing"], used.isna().sum().sum()
        columns = [column for column in view["columns"] if "mean" in column]
        numbers = table[[column["name"] for column in columns]]
        yield f"mean of the means, {view['name']}", np.mean([c["mean"] for c in columns]), numbers.mean().mean()
        yield f"mean of the deviations, {view['name']}", np.mean([c["deviation"] for c in columns]), numbers.std(ddof=0).mean()
        name = numbers.columns[0]
        means = numbers[name].groupby(saved.label.reindex(table.index)).mean()
        for cluster in told["clusters"]:
            for feature in cluster["features"][view["name"]]:
                if feature["name"] == name:
                    yield f"mean of {name}, cluster {cluster['cluster']}", feature["weight"], means[cluster["cluster"]]
        yield f"instances, {view['name']}", found["observed"], len(table)
    yield "size of cluster 0", fitted["cluster_sizes"][0], (saved.label == 0).sum()
    yield "mean confidence", fitted["confidence"], saved.confidence.mean()
    yield "outliers", fitted["outliers"], (saved.distance > 3).sum()
    yield from scores(folder, "labels.csv", "diagnosis.csv")


def log(folder):
    make_log(folder)
    with open(folder / "app.jsonl") as lines, open(folder / "rows.jsonl", "w") as rows:
        subprocess.run([sys.executable, ROOT / "examples" / "log_rows.py", "--words", "message", "--numbers", "ms,bytes", "--id", "request"],
                       stdin=lines, stdout=rows, check=True)
    (folder / "log.omvc").unlink(missing_ok=True)  # a stream would go on from it
    run(folder, "stream", "--model", "log.omvc", "-k", "4", "--in-step", stdin="rows.jsonl", stdout="log.jsonl")
    told = json.loads(run(folder, "info", "log.omvc", "--json"))
    lines = pd.read_json(folder / "app.jsonl", lines=True)
    observed = {view["name"]: view["observed"] for view in told["views"]}
    yield "lines", told["instances"], len(lines)
    yield "lines with a text", observed["words"], lines.message.notna().sum()
    yield "lines with numbers", observed["numbers"], lines.ms.notna().sum()
    yield from scores(folder, "log.jsonl", "kinds.csv")


def embeddings(folder):
    make_items(folder)
    files = ("pictures.npz", "titles.csv")
    fitted = json.loads(run(folder, "fit", *files, "--labels", "items.csv", "--json"))
    label = pd.read_csv(folder / "items.csv", index_col=0).label
    with np.load(folder / files[0]) as archive:
        pictures = pd.DataFrame(archive["pictures"].astype(float), index=archive["ids"])
    titles = pd.read_csv(folder / files[1], index_col=0)
    yield "items", fitted["n"], len(pictures.index.union(titles.index))
    yield "clusters", fitted["clusters"], label.nunique()
    for view, table in zip(fitted["view_details"], (pictures, titles)):
        scaled = (table - table.min()) / (table.max() - table.min())
        means = scaled.groupby(label.reindex(table.index)).transform("mean")
        explained = ((means - scaled.mean()) ** 2).sum().sum() / ((scaled - scaled.mean()) ** 2).sum().sum()
        yield f"explained, {view['name']}", view["explained"], explained
    yield from scores(folder, "items.csv", "categories.csv")
    run(folder, "fit", *files, "--scaling", "l2", "--labels", "l2.csv")
    yield "NMI, --scaling l2", *next(pair[1:] for pair in scores(folder, "l2.csv", "categories.csv") if pair[0] == "NMI")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--keep", metavar="FOLDER", help="leave the data there")
    parser.add_argument("--write", action="store_true", help="put the table into docs/walks.md")
    options = parser.parse_args()
    lines, wrong = ["| walk | number | omvc | pandas, scikit-learn |", "| --- | --- | --- | --- |"], 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(options.keep or scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for walk in (tables, log, embeddings):
            for name, printed, computed in walk(folder):
                # Confidences are written with four digits.
                wrong += (same := abs(printed - computed) <= 1e-4 * max(1.0, abs(computed))) is False
                shown = [f"{x:,}" if float(x).is_integer() and abs(x) >= 2 else f"{x:.4f}" for x in (float(printed), float(computed))]
                shown = [x.removesuffix(".0") for x in shown]
                lines.append(f"| {walk.__name__} | {name} | {shown[0]} | {shown[1]}{'' if same else ' **differs**'} |")
    print("\n".join(lines))
    if options.write:
        docs_page.put("walks.md", "walks", "\n".join(lines) + "\n\n" + docs_page.stamp("experiments/walks.py --write"))
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
