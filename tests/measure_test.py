#!/usr/bin/env python3
"""Refuses a class with more than 25 public functions in include/omvc or src, and a function of more than 60 lines there.

    tests/measure_test.py [--list]      with --list also what comes nearest to the limits

Reads the text of the sources, not what a compiler makes of them: code that macros make is not seen.
"""

import pathlib
import re
import sys

MOST_PUBLIC = 25
MOST_LINES = 60


def blanked(text: str) -> str:
    """The text without what is in comments, strings and lines of the preprocessor, of the same length and lines."""

    def blank(found: re.Match) -> str:
        return re.sub(r"[^\n]", " ", found.group())

    text = re.sub(
        r"//[^\n]*|/\*.*?\*/|R\"(\w*)\(.*?\)\1\"|\"(?:\\.|[^\"\\\n])*\"|(?<!\w)'(?:\\.|[^'\\\n])'", blank, text, flags=re.S
    )
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, text, flags=re.M)


def closing(text: str, at: int) -> int:
    """Where the bracket that opens at `at` closes."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "({[") - (text[i] in ")}]")
        if depth == 0:
            return i
    raise ValueError("a bracket is not closed")


def statements(text: str, begin: int, end: int):
    """Each statement between the two as (start, its head, its block or nothing): what comes before `;` or the end of a block."""
    start, at, block = begin, begin, None
    while at < end:
        letter = text[at]
        if letter == "(":
            at = closing(text, at)
        elif letter == "{":
            block = block or (at, closing(text, at))
            last = closing(text, at)
            after = re.compile(r"\s*").match(text, last + 1).end()
            at = last
            # x_{1}, y_{2} {} after a constructor: the last block is the body.
            if text[after : after + 1] in (",", "{"):
                block = None
            elif text[after : after + 1] != ";" and not re.search(r"[^=!<>]=\s*$", text[start : block[0]]):
                yield start, text[start : block[0]], block
                start, block = last + 1, None
        elif letter == ";":
            yield start, text[start : block[0] if block else at], block
            start, block = at + 1, None
        elif letter == ":" and re.fullmatch(r"\s*(public|private|protected)\s*", text[start:at]):
            yield start, text[start:at].strip() + ":", None
            start = at + 1
        at += 1


def without_templates(head: str) -> str:
    head = re.sub(r"operator\s*[^\s\w(]+", "operator_", re.sub(r"\[\[.*?\]\]|\balignas\([^)]*\)", " ", head))
    while (less := re.sub(r"<[^<>]*>", " ", head)) != head:
        head = less
    return head


def is_function(head: str) -> bool:
    head = without_templates(head)
    if re.match(r"\s*(using|friend|typedef|static_assert|enum|extern)\b", head):
        return False
    return re.search(r"\w\s*\(", head.split("=")[0]) is not None


def kind_of(head: str):
    """(what, name) of a statement with a block that holds others."""
    head = without_templates(head)
    if re.match(r"\s*(inline\s+)?namespace\b|\s*extern\s*$", head):
        return "namespace", ""
    found = re.match(r"\s*(?:template\s+)?(?:friend\s+)?(class|struct|union)\s+(?:OMVC_\w+\s+)?([\w:]*)", head)
    if found and not re.search(r"\w\s*\(", head):
        return found.group(1), found.group(2)
    return None


class Measured:
    def __init__(self):
        self.classes = []  # (public functions, name, where)
        self.functions = []  # (lines, name, where)

    def file(self, path: pathlib.Path):
        self.text, self.path = blanked(path.read_text()), path
        self.scope(0, len(self.text), None, "")

    def scope(self, begin: int, end: int, kind, name: str):
        public, count = kind != "class", 0
        for start, head, block in statements(self.text, begin, end):
            if head in ("public:", "private:", "protected:"):
                public = head == "public:"
                continue
            inner = kind_of(head) if block else None
            if inner:
                self.scope(block[0] + 1, block[1], inner[0] if inner[0] != "namespace" else None, inner[1])
            elif is_function(head):
                count += public
                if block:
                    start += len(self.text[start:]) - len(self.text[start:].lstrip())
                    lines = self.text.count("\n", start, block[1]) + 1
                    self.functions.append((lines, " ".join(head.split())[:80], self.path))
        if kind:
            self.classes.append((count, name, self.path))


def measure(root: pathlib.Path) -> Measured:
    measured = Measured()
    for folder in ("include/omvc", "src"):
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".hpp", ".cpp"):
                measured.file(path)
    return measured


def check_the_measure(folder: pathlib.Path):
    """The measure itself, on a class whose functions are known."""
    path = folder / "known.hpp"
    path.write_text(
        """namespace a {
class OMVC_API Known : public Base<int(int)> {
  int hidden();
 public:
  explicit Known(int x = int{1}) : x_{x}, y_(x) {}   // f();
  ~Known() override = default;
  template <class T, class = void> T get(std::vector<T> of = {}) const { if (of.empty()) { return {}; } return of[0]; }
  bool operator<(const Known& other) const;
  static Known load(const std::string& path = "f(");
  std::function<bool()> no_function = {};
  Usage neither{"(a)"};
  using Call = void(int);
  friend void other(Known&);
  struct Inner { int one() { return '"'; } int two(); };
 private:
  void hidden_too();
};
void long_one(
    int a) {
  for (;;) {
  }
}
}
"""
    )
    known = Measured()
    known.file(path)
    assert sorted(c[:2] for c in known.classes) == [(2, "Inner"), (5, "Known")], known.classes
    assert max(known.functions)[:2] == (5, "void long_one( int a)"), known.functions


def main() -> int:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        check_the_measure(pathlib.Path(folder))
    measured = measure(pathlib.Path(__file__).resolve().parent.parent)
    if "--list" in sys.argv[1:]:
        for size, name, path in sorted(measured.classes, reverse=True)[:8] + sorted(measured.functions, reverse=True)[:12]:
            print(size, name, path)
    bad = [f"{p}: {n} has {c} public functions: at most {MOST_PUBLIC}" for c, n, p in measured.classes if c > MOST_PUBLIC]
    bad += [f"{p}: {n} has {c} lines: at most {MOST_LINES}" for c, n, p in measured.functions if c > MOST_LINES]
    print("\n".join(bad) or f"{len(measured.classes)} classes and {len(measured.functions)} functions are small enough")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
