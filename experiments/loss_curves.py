#!/usr/bin/env python3
"""Average loss of Eq. (28) against chunks, pass by pass, as in Figs. 9 and 11 of the paper: docs/figures/loss-*.svg.

    python3 experiments/loss_curves.py
"""

import tempfile

from datasets import ROOT, fit

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 360, 76, 120, 24, 48
SHADES = ["#000000", "#404040", "#707070", "#989898", "#bcbcbc"]
DASHES = ["", "8 3", "3 3", "10 3 2 3", "1 3"]


def svg(title, curves):
    shown = [y for _, ys in curves for y in ys[len(ys) // 20:]]
    low, high = min(shown), max(shown)
    margin = 0.05 * (high - low)
    low, high = low - margin, high + margin
    longest = max(len(ys) for _, ys in curves)

    def x(i):
        return LEFT + (WIDTH - LEFT - RIGHT) * i / (longest - 1)

    def y(value):
        share = (min(max(value, low), high) - low) / (high - low)
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" font-family="sans-serif" '
           f'font-size="12"><rect width="100%" height="100%" fill="white"/>',
           f'<text x="{LEFT}" y="16" font-weight="bold">{title}</text>']
    for k in range(5):
        value = low + (high - low) * k / 4
        out.append(f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#e4e4e4"/>')
        out.append(f'<text x="{LEFT - 6}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.3g}</text>')
        chunk = round((longest - 1) * k / 4)
        out.append(f'<text x="{x(chunk):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{chunk + 1}</text>')
    out.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 10}" text-anchor="middle">chunks of 50 in the pass</text>')
    out.append(f'<text x="14" y="{HEIGHT / 2}" text-anchor="middle" transform="rotate(-90 14 {HEIGHT / 2})">average loss, '
               f'Eq. (28)</text>')
    for n, (name, ys) in enumerate(curves):
        points = " ".join(f"{x(i):.1f},{y(v):.1f}" for i, v in enumerate(ys))
        style = f'stroke="{SHADES[n]}" stroke-dasharray="{DASHES[n]}" stroke-width="1.6"'
        out.append(f'<polyline points="{points}" fill="none" {style}/>')
        at = TOP + 16 + 18 * n
        out.append(f'<line x1="{WIDTH - RIGHT + 12}" x2="{WIDTH - RIGHT + 40}" y1="{at - 4}" y2="{at - 4}" {style}/>')
        out.append(f'<text x="{WIDTH - RIGHT + 46}" y="{at}">{name}</text>')
    return "\n".join([*out, "</svg>"]) + "\n"


def main():
    figures = ROOT / "docs" / "figures"
    figures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name, title in (("digit", "Digit, 40 % missing (cf. Fig. 11)"), ("webkb", "WebKB, 40 % missing (cf. Fig. 9)")):
            result = fit(ROOT / "build" / "omvc", name, "cyclic-40", 0, ["--preset", "paper"], scratch)
            passes = result["per_pass"]
            curves = [(f"pass {p}", passes[p - 1]["curve"]) for p in (1, 2, 3, 5, 10)]
            (figures / f"loss-{name}.svg").write_text(svg(title, curves))
            ends = [p["loss"] for p in passes]
            falls = all(later < earlier for earlier, later in zip(ends, ends[1:]))
            print(f"{name}: loss at the end of each pass {', '.join(f'{e:.5g}' for e in ends)}; falls every pass: {falls}")


if __name__ == "__main__":
    main()
