#!/usr/bin/env python3
"""Opens the pages that omvc writes in a real Chromium, without a network, and uses them as people do.

Arguments: source folder, build folder. Needs Chromium (Debian: chromium); axe-core, which looks for obstacles to people
with a screen reader or a keyboard, comes from PyPI into BUILD/venv-page when first run. Exits with 77 (skipped) where
there is no Chromium; where axe-core cannot be had, that one test is left out, and says so.
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

from browser import Browser, find_browser

SKIPPED = 77
HOSTILE = "</script><script>alert(1)</script>"
LIMIT = 2_000_000  # bytes of a page


def find_axe(source, build):
    """The text of axe-core, or None."""
    folder = build / "venv-page"
    found = sorted(folder.glob("lib/*/site-packages/*/axe.min.js"))
    if not found:
        steps = [[sys.executable, "-m", "venv", str(folder)],
                 [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps",
                  "-r", str(source / "tools" / "requirements-page.txt")]]
        for step in steps:
            if subprocess.run(step, capture_output=True).returncode != 0:
                return None
        found = sorted(folder.glob("lib/*/site-packages/*/axe.min.js"))
    return found[0].read_text() if found else None


class Pages:
    def __init__(self, source, build, browser, axe):
        self.source, self.omvc, self.browser, self.axe = source, str(build / "omvc"), browser, axe

    def run(self, *arguments, **more):
        done = subprocess.run([self.omvc, *map(str, arguments)], capture_output=True, text=True, **more)
        assert done.returncode == 0, f"omvc {arguments}: exit {done.returncode}\n{done.stderr}"
        return done.stdout

    def fit(self, *arguments, page="page.html"):
        """Fits with a page; returns what --json says."""
        return json.loads(self.run("fit", *arguments, "--quiet", "--json", "--report", page))

    def open(self, page="page.html"):
        """Opens a page, which must neither complain nor ask for anything. Returns its facts."""
        self.browser.open(page)
        self.check_quiet(page)
        assert os.path.getsize(page) <= LIMIT, f"{page} has {os.path.getsize(page)} bytes"
        return json.loads(self.eval("document.getElementById('facts').textContent"))

    def check_quiet(self, page="page.html"):
        self.eval("0")
        assert self.browser.console == [], f"{page} says {self.browser.console}"
        assert self.browser.requests == [Path(page).resolve().as_uri()], f"{page} asks for {self.browser.requests}"

    def eval(self, script):
        return self.browser.evaluate(script)

    def press(self, key, code=None, text=""):
        for kind in ("keyDown", "keyUp"):
            self.browser.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, text=text if kind == "keyDown" else "",
                              windowsVirtualKeyCode={"ArrowRight": 39, "ArrowLeft": 37, "Escape": 27, "Enter": 13}.get(key, 0))

    def mouse(self, kind, x, y):
        self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="none" if kind == "mouseMoved" else "left",
                          clickCount=0 if kind == "mouseMoved" else 1)

    def picture(self):
        return self.eval("document.getElementById('map-canvas').toDataURL()")

    def legend(self):
        return self.eval("[...document.querySelectorAll('#legend button')].map(b => [Number(b.dataset.cluster),"
                         "Number(b.querySelector('.count').textContent.replaceAll(',', ''))])")

    def set_level(self, to):
        self.eval(f"(() => {{ const k = document.getElementById('k'); k.value = {to}; k.dispatchEvent(new Event('input')); }})()")

    def all_tables(self):
        """Opens every table; the number of rows of each."""
        return self.eval("[...document.querySelectorAll('details')].map(d => { d.open = true; d.fill && d.fill();"
                         "return d.querySelectorAll('tbody tr').length; })")

    def check_obstacles(self):
        """No serious obstacle in light and dark. Where there is no axe-core this looks at nothing."""
        if self.axe is None:
            return
        for dark in (False, True):
            self.browser.set_dark(dark)
            self.browser.call("Runtime.evaluate", expression=self.axe)
            found = self.eval("axe.run(document).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical')"
                              ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(' | ')))")
            assert found == [], "\n".join(found)
        self.browser.set_dark(False)

    def examples(self):
        data = self.source / "examples" / "data"
        return [data / "text.csv", data / "image.tsv", "-k", 3, "--truth", data / "truth.txt"]

    # What people do.

    def test_numbers_are_those_of_json(self):
        told = self.fit(*self.examples())
        facts = self.open()
        same = dict(facts["summary"])
        # What the command adds after the page is written, and what only time tells.
        for key in ("seconds", "profile", "peak_rss_bytes", "nmi_best", "ac_best", "ari_best"):
            same.pop(key, None)
            told_value = told.pop(key, None)
            if key == "nmi_best":
                assert told_value == facts["truth"]["nmi"]
            if key == "ac_best":
                assert told_value == facts["truth"]["accuracy"]
        for report in (same, told):
            for one in report["per_pass"]:
                one.pop("seconds"), one.pop("waited")
        assert same == told, [key for key in told if told[key] != same.get(key)]
        assert dict(self.legend()) == dict(zip(told["cluster_numbers"], told["cluster_sizes"]))
        lead = self.eval("document.getElementById('lead').textContent")
        assert f"{told['n']} instances in {told['clusters']} clusters" in lead, lead
        assert f"mean confidence {told['confidence']:.2f}, {told['outliers']} outlier" in lead, lead
        shown = self.eval("[...document.querySelectorAll('.card')].map(c => [Number(c.dataset.cluster), c.querySelector('.numbers').textContent])")
        for number, text in shown:
            at = told["cluster_numbers"].index(number)
            assert f"{told['cluster_sizes'][at]} instances" in text and f"{told['cluster_members'][at]['confidence']:.2f}" in text, text

    def test_features_are_in_the_units_of_the_data(self):
        self.fit(*self.examples(), "--labels", "labels.txt")
        facts = self.open()
        labels = [int(line) for line in Path("labels.txt").read_text().split()]
        lines = (self.source / "examples" / "data" / "text.csv").read_text().splitlines()
        names, rows = lines[0].split(","), [line.split(",") if line.strip(",") else None for line in lines[1:]]
        own = next(level for level in facts["levels"] if level["own"])
        checked = 0
        for place, number in enumerate(own["numbers"]):
            for at, mean, rest in own["features"][place]:
                feature = facts["features"][at]
                if facts["summary"]["view_details"][feature["view"]]["name"] != "text":
                    continue
                column = names.index(feature["name"])
                values = [(label == number, float(row[column])) for label, row in zip(labels, rows) if row]
                inside = [v for member, v in values if member]
                outside = [v for member, v in values if not member]
                assert abs(sum(inside) / len(inside) - mean) < 1e-3 * max(1, abs(mean)), (feature, number)
                assert abs(sum(outside) / len(outside) - rest) < 1e-3 * max(1, abs(rest)), (feature, number)
                checked += 1
        assert checked > 3

    def test_slider_recolours(self):
        self.fit(*self.examples())
        facts = self.open()
        levels = [len(level["numbers"]) for level in facts["levels"]]
        assert levels[0] == 2 and levels == sorted(levels) and 3 in levels, levels
        before = self.picture()
        for place in (0, len(levels) - 1):
            self.set_level(place)
            assert self.eval("document.getElementById('k-now').textContent") == str(levels[place])
            assert len(self.legend()) == levels[place]
            assert self.picture() != before, "the map looks as before"
            assert self.eval("document.querySelectorAll('.card').length") == min(24, levels[place])
        self.eval("document.getElementById('k').focus()")
        self.press("ArrowLeft")
        assert self.eval("document.getElementById('k-now').textContent") == str(levels[-2]), "the slider does not follow the keyboard"
        self.eval("document.getElementById('k-own').click()")
        assert self.picture() == before
        self.check_quiet()

    def test_selecting(self):
        self.fit(*self.examples())
        self.open()
        before = self.picture()
        self.eval("document.querySelector('#legend button').click()")
        chosen = self.eval("document.documentElement.dataset.chosen")
        assert chosen != "" and self.picture() != before
        assert self.eval("document.querySelectorAll('#legend button[aria-pressed=true]').length") == 1
        assert self.eval("document.querySelector('.card').dataset.cluster") == chosen, "its card comes first"
        self.press("Escape")
        assert self.eval("document.documentElement.dataset.chosen") == "" and self.picture() == before
        # With the keyboard alone: step to a prototype and choose its cluster.
        self.eval("document.getElementById('map-canvas').focus()")
        self.press("n", text="n")
        assert "instances" in self.eval("document.getElementById('heard').textContent")
        self.press("Enter")
        assert self.eval("document.documentElement.dataset.chosen") != ""
        self.check_quiet()

    def test_hover_zoom_and_pan(self):
        data = self.source / "examples" / "data"
        self.fit(data / "clinic.csv", data / "scan.csv", "-k", 2)
        facts = self.open()
        self.eval("document.getElementById('map-canvas').scrollIntoView({block: 'center'})")
        box = self.eval("(() => { const b = document.getElementById('map-canvas').getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")
        seen = set()
        for row in range(24):
            for column in range(32):
                self.mouse("mouseMoved", box[0] + box[2] * (column + 0.5) / 32, box[1] + box[3] * (row + 0.5) / 24)
                if not self.eval("document.getElementById('tip').hidden"):
                    seen.add(self.eval("document.getElementById('tip').textContent"))
            if any("P1" in text for text in seen):
                break
        told = [text for text in seen if "P1" in text]
        assert told and "confidence" in told[0] and "views: " in told[0], seen
        assert set(facts["map"]["points"]["id"]) >= {"P100", "P101"}
        before = self.picture()
        self.eval("document.querySelector('.zoom button').click()")
        zoomed = self.picture()
        assert zoomed != before
        self.eval("document.getElementById('map-canvas').focus()")
        self.press("ArrowRight")
        assert self.picture() != zoomed
        self.press("0", text="0")
        self.eval("document.activeElement.blur()")
        assert self.picture() == before
        self.check_quiet()

    def test_tables_paper_and_obstacles(self):
        self.fit(*self.examples())
        self.open()
        figures = self.eval("document.querySelectorAll('figure').length")
        rows = self.all_tables()
        assert len(rows) >= figures >= 6 and all(count > 0 for count in rows), (figures, rows)
        self.check_obstacles()
        assert len(self.browser.call("Page.printToPDF", printBackground=True)["data"]) > 20000
        for theme in ("light", "dark", "automatic"):
            self.eval("document.getElementById('theme').click()")
            assert theme in self.eval("document.getElementById('theme').textContent")
        self.check_quiet()

    def test_of_a_model_alone(self):
        self.fit(*self.examples(), "--model", "model.omvc")
        told = self.run("report", "model.omvc", "-o", "of_model.html")
        assert "of_model.html" in told
        facts = self.open("of_model.html")
        assert facts["summary"]["n"] == 60 and facts["whole"]
        assert facts["made"]["command"] == "omvc report model.omvc -o of_model.html"
        # All rows are in the sample: the page says what that of the fit says.
        self.browser.open("page.html")
        fitted = json.loads(self.eval("document.getElementById('facts').textContent"))
        for key in ("cluster_numbers", "cluster_sizes", "confidence", "outliers", "patterns", "pattern_nmi", "cluster_members"):
            of_model = json.dumps(facts["summary"][key]) if key != "confidence" else f"{facts['summary'][key]:.9f}"
            of_fit = json.dumps(fitted["summary"][key]) if key != "confidence" else f"{fitted['summary'][key]:.9f}"
            assert of_model == of_fit, key
        assert facts["levels"] == fitted["levels"] and facts["map"]["nodes"] == fitted["map"]["nodes"]
        assert json.loads(self.run("report", "model.omvc", "--json"))["levels"] == facts["levels"]

    def test_of_another_method(self):
        told = self.fit(*self.examples(), "--method", "masked-kmeans")
        facts = self.open()
        assert facts["summary"]["cluster_sizes"] == told["cluster_sizes"] and "map" not in facts
        assert self.eval("document.getElementById('map').hidden")
        assert self.eval("document.querySelectorAll('.card').length") == 3

    # Data of every kind.

    def test_of_a_stream(self):
        self.run("generate", "stream.h5mu", "--rows", 3000, "--features", "12,20", "--density", "1,1", "-k", 4, "--missing", 0.3, "--quiet")
        self.fit("stream.h5mu", "-k", 4, "--once")
        facts = self.open()
        line = facts["summary"]["timeline"]
        assert len(line) > 2 and [point["instances"] for point in line] == sorted(point["instances"] for point in line)
        assert all(abs(sum(point["sizes"]) - point["instances"]) < 1 for point in line), "nobody is lost"
        assert not self.eval("document.getElementById('timeline').hidden")
        assert self.eval("document.querySelectorAll('#timeline svg path').length") >= 4
        self.check_obstacles()

    def test_of_many_clusters(self):
        self.run("generate", "many.h5mu", "--rows", 2400, "--features", "40,30", "--density", "1,1", "-k", 200, "--missing", 0.2, "--quiet")
        told = self.fit("many.h5mu", "-k", 200)
        facts = self.open()
        assert told["clusters"] == 200 and [len(level["numbers"]) for level in facts["levels"]] == [*range(2, 31), 200]
        assert len(self.legend()) == 200
        assert self.eval("document.querySelectorAll('.card').length") == 24
        self.eval("document.querySelector('.more').click()")
        assert self.eval("document.querySelectorAll('.card').length") == 200
        self.set_level(0)
        assert len(self.legend()) == 2
        self.check_quiet()

    def test_of_two_instances(self):
        Path("two.csv").write_text("a,b\n1,0\n0,3\n")
        self.fit("two.csv", "-k", 2)
        facts = self.open()
        assert facts["summary"]["n"] == 2 and len(self.legend()) == 2
        self.check_obstacles()

    def test_of_many_views(self):
        random.seed(5)
        for view in range(60):
            lines = ["id,x,y"]
            for row in range(90):
                if random.random() < 0.6:
                    lines.append(f"s{row},{row % 3 + random.random():.3f},{(row % 3) ** 2 + random.random():.3f}")
            Path(f"view{view:02}.csv").write_text("\n".join(lines) + "\n")
        self.fit(*[f"view{view:02}.csv" for view in range(60)], "-k", 3)
        facts = self.open()
        assert len(facts["summary"]["view_details"]) == 60
        assert self.eval("document.querySelectorAll('#missing svg text').length") > 60
        assert all(count > 0 for count in self.all_tables())
        self.check_obstacles()

    def test_of_hostile_names(self):
        random.seed(6)
        wild = ['<img src=x onerror="alert(2)">', "&lt;b&gt;", "]]>", "<!--<script>", '"; alert(3); //', "\u2028\u202e\U0001f600", "x" * 5000]
        lines = [",".join(["id", f'"{HOSTILE}"', *('"' + name.replace('"', '""') + '"' for name in wild)])]
        for row in range(60):
            lines.append(",".join([f'"{HOSTILE} {row}"', *(f"{(row % 2) * 3 + random.random():.3f}" for _ in range(len(wild) + 1))]))
        Path("wild.csv").write_text("\n".join(lines) + "\n")
        self.fit(f"{HOSTILE}=wild.csv".replace("/", "\u2215"), "-k", 2)
        text = Path("page.html").read_text()
        assert text.count("<script") == 3 and "<img" not in text, "names are no elements"
        facts = self.open()
        assert facts["features"][0]["name"] is not None
        assert any(feature["name"] == HOSTILE for feature in facts["features"])
        assert HOSTILE in self.eval("document.body.innerText"), "it is shown as it is"
        assert self.eval("document.querySelectorAll('img').length") == 0
        self.all_tables()
        self.set_level(0)
        self.check_quiet()
        self.check_obstacles()

    def test_is_small_and_bounded(self):
        self.run("generate", "large.h5mu", "--rows", 12000, "--features", "30,300", "--density", "1,0.1", "-k", 6, "--missing", 0.4, "--quiet")
        self.fit("large.h5mu", "-k", 6)
        facts = self.open()
        assert len(facts["map"]["points"]["row"]) == 5000
        assert len(set(facts["map"]["points"]["row"])) == 5000
        first = Path("page.html").read_text()
        self.fit("large.h5mu", "-k", 6, "--threads", 1, page="again.html")
        again = json.loads(self.facts_of("again.html"))
        for key in ("levels", "map", "features", "eigenvalues"):
            assert json.loads(self.facts_of("page.html"))[key] == again[key], f"{key} depends on threads"
        assert len(first) < LIMIT

    def facts_of(self, page):
        text = Path(page).read_text()
        start = text.index('id="facts">') + len('id="facts">')
        return text[start:text.index("</script>", start)]

    def test_policy_and_script_are_strict(self):
        self.fit(*self.examples())
        text = Path("page.html").read_text()
        assert "default-src 'none'" in text and "unsafe" not in text.split("</head>")[0].split("<style>")[0]
        for script in (self.source / "src" / "report" / "page").glob("*.js"):
            code = script.read_text()
            for way in ("innerHTML", "outerHTML", "insertAdjacentHTML", ".html(", "eval(", "document.write", "fetch(", "XMLHttpRequest"):
                assert way not in code, f"{script.name} uses {way}"
        # A script that somebody managed to put in would not run.
        self.open()
        self.eval("(() => { const s = document.createElement('script'); s.textContent = 'window.hostile = 1'; document.body.append(s); })()")
        assert self.eval("window.hostile === undefined")


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    wanted = sys.argv[3:]
    if find_browser() is None:
        print("skipped: there is no Chromium here (Debian: apt install chromium)")
        sys.exit(SKIPPED)
    axe = find_axe(source, build)
    if axe is None:
        print("axe-core cannot be installed from PyPI: nobody looks for obstacles to people with a screen reader")
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        os.chdir(folder)
        pages = Pages(source, build, browser, axe)
        for name in [name for name in dir(pages) if name.startswith("test_")]:
            if wanted and not any(word in name for word in wanted):
                continue
            try:
                getattr(pages, name)()
                print(f"{name}: passed", flush=True)
            except Exception:
                failed += 1
                print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
