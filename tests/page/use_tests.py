"""What people do with a page: read it, move the slider, choose clusters, print it."""

import json
from pathlib import Path

from page.opened_page import OpenedPage


class UseTests(OpenedPage):
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

    def test_map_is_coloured_by_features_and_classes_have_names(self):
        data = self.source / "examples" / "data"
        names = ["wine", "beer", "<b>tea</b>"]
        truth = [names[int(line) % 3] for line in (data / "truth.txt").read_text().split()]
        Path("names.txt").write_text("".join(name + "\n" for name in truth))
        self.fit(data / "text.csv", data / "image.tsv", "-k", 3, "--truth", "names.txt")
        facts = self.open()
        assert sorted(facts["class_names"]) == sorted(set(truth))
        assert "beer" in self.eval("document.getElementById('quality').textContent")
        choices = dict(self.eval("[...document.getElementById('map-by').options].map(o => [o.textContent, o.value])"))
        features = [facts["features"][one["feature"]]["name"] for one in facts["map"]["values"]]
        assert len(features) > 1 and set(features) <= set(choices), choices
        seen = {self.picture()}
        for name in ("true class", features[0], features[-1]):
            self.eval(f"(() => {{ const by = document.getElementById('map-by'); by.value = '{choices[name]}';"
                      "by.dispatchEvent(new Event('change')); })()")
            seen.add(self.picture())
            told = self.eval("document.getElementById('map-scale').textContent")
            assert ("beer" in told) if name == "true class" else ("dark: " in told), told
        assert len(seen) == 4
        self.check_quiet()

    def test_split_chart_shows_twelve_cuts_or_all(self):
        self.fit(*self.examples())
        facts = self.open()
        columns = "document.querySelectorAll('#tree svg rect.hit').length"
        assert len(facts["levels"]) > 12 and self.eval(columns) == 12
        self.set_level(len(facts["levels"]) - 1)
        assert self.eval(columns) == 12
        assert f"to {len(facts['levels'][-1]['numbers'])} clusters" in self.eval("document.querySelector('#tree .hint').textContent")
        self.eval("document.getElementById('tree-whole').click()")
        assert self.eval(columns) == len(facts["levels"])
        self.check_quiet()

    def test_fits_a_phone(self):
        self.fit(*self.examples())
        self.browser.set_size(360, 740, phone=True)
        try:
            self.open()
            assert self.eval("document.documentElement.scrollWidth") <= 360
            assert self.eval("document.getElementById('bar').getBoundingClientRect().height") < 120
            assert self.eval("getComputedStyle(document.getElementById('map-canvas')).touchAction") == "pan-y"
        finally:
            self.browser.set_size(*self.browser.size)

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
