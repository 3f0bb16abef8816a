"""Pages of data of every kind: streams, many clusters, two instances, many views, hostile names, many rows."""

import json
import random
from pathlib import Path

from page.opened_page import LIMIT, OpenedPage

HOSTILE = "</script><script>alert(1)</script>"


class DataTests(OpenedPage):
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
