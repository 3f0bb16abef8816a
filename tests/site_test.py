#!/usr/bin/env python3
"""Builds the site of the documents and opens it from disk in a real browser, wide and as on a phone, light and dark.

Links are checked by the build itself (mkdocs.yml: strict). Every page must ask nobody for anything, say nothing on the
console and fit a phone; the search must find; axe-core must see no serious obstacle on pages of each kind.

Arguments: source folder, build folder (which has the program omvc).
"""

import os
import subprocess
import sys
import time
from pathlib import Path

from browser import Browser, find_browser
from page_test import SKIPPED, find_axe

LOADED = "document.readyState === 'complete'"
KINDS = ("index.html", "tutorials/wine.html", "reference/commands.html", "quality.html")
SEARCH = """(() => {
  const box = document.querySelector('.md-search__input');
  box.focus(); box.value = 'WORD';
  box.dispatchEvent(new Event('keyup')); box.dispatchEvent(new Event('input'));
})()"""


def build_site(source, build):
    environment = build / "docs-env"
    made = subprocess.run([source / "tools" / "python-env", environment, source / "tools" / "requirements-docs.txt"])
    if made.returncode != 0:
        sys.exit(made.returncode)
    site = build / "site"
    done = subprocess.run([environment / "bin" / "mkdocs", "build", "--quiet", "--site-dir", site], cwd=source,
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "OMVC_PROGRAM": str(build / "omvc")}, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the site cannot be built:\n{done.stdout}{done.stderr}")
    return site


def wait_for(browser, what, seconds=30):
    end = time.monotonic() + seconds
    while not browser.evaluate(what):
        if time.monotonic() > end:
            return False
        time.sleep(0.1)
    return True


def serious(browser, axe):
    browser.call("Runtime.evaluate", expression=axe)
    return browser.evaluate("axe.run(document, {preload: false}).then(r => r.violations.filter(v => ['serious', 'critical'].includes(v.impact))"
                            ".map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.target.join(' ')).join(', ')))")


def check(site, axe):
    """What is wrong, a line each, and how much was looked at."""
    wrong, seen = [], 0
    for width, dark in ((1280, False), (390, True)):
        with Browser(width=width, height=900, dark=dark) as browser:
            for page in sorted(site.rglob("*.html")):
                name = page.relative_to(site).as_posix()
                browser.open(page, LOADED)
                seen += 1
                asked = [url for url in browser.requests if not url.startswith(("file:", "data:"))]
                wrong += [f"{name}: asks for {url}" for url in asked]
                wrong += [f"{name}: says {line}" for line in browser.console]
                if browser.evaluate("document.documentElement.scrollWidth > innerWidth"):
                    wrong.append(f"{name}: is wider than {width} pixels")
                if axe and name in KINDS:
                    wrong += [f"{name}, {'dark' if dark else 'light'}: {found}" for found in serious(browser, axe)]
            scheme = browser.evaluate("document.body.dataset.mdColorScheme")
            if scheme != ("slate" if dark else "default"):
                wrong.append(f"the site is {scheme} where the system is {'dark' if dark else 'light'}")
    with Browser() as browser:
        browser.open(site / "tutorials" / "wine.html", LOADED)
        for word, there in (("half-life", True), ("xylophone", False)):
            browser.evaluate(SEARCH.replace("WORD", word))
            found = wait_for(browser, "document.querySelectorAll('.md-search-result__item').length > 0", 30 if there else 2)
            if found != there:
                wrong.append(f"the search for {word} {'finds nothing' if there else 'finds something'}")
            browser.open(site / "glossary.html", LOADED)
    return wrong, seen


def main():
    source, build = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    if find_browser() is None:
        print("skipped: there is no Chromium here (Debian: apt install chromium)")
        sys.exit(SKIPPED)
    wrong, seen = check(build_site(source, build), find_axe(source, build))
    for line in wrong:
        print(line)
    print(f"{seen} pages looked at, {len(wrong)} things wrong")
    sys.exit(bool(wrong) or seen == 0)


if __name__ == "__main__":
    main()
