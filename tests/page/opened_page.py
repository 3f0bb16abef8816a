"""A page that omvc wrote, opened in Chromium: what its tests do with it."""

import json
import os
import subprocess
from pathlib import Path

LIMIT = 2_000_000  # bytes of a page


class OpenedPage:
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

    def facts_of(self, page):
        text = Path(page).read_text()
        start = text.index('id="facts">') + len('id="facts">')
        return text[start:text.index("</script>", start)]
