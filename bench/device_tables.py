"""What bench/device.py has measured, as tables of docs/gpu.md."""

import json

import docs_page


def lines_of(files):
    found = [json.loads(line) for file in files for line in file.read_text().splitlines()]
    machine = next(line for line in found if line["part"] == "machine")
    return machine, lambda part: [line for line in found if line["part"] == part]


def kernels(lines, peak):
    yield "| rows x features, prototypes | missing | ms | TFLOP/s | share of the peak | product alone, ms | `--fast`, ms |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    fast = {(l["rows"], l["features"], l["prototypes"], l["missing"]): l for l in lines if l["fast"]}
    for line in lines:
        if line["fast"]:
            continue
        shape = (line["rows"], line["features"], line["prototypes"], line["missing"])
        sooner = fast.get(shape)
        yield (f"| {shape[0]:,} x {shape[1]:,}, {shape[2]:,} | {float(shape[3]) * 100:.0f} % | {line['near_ms']:.1f} "
               f"| {line['near_tflops']:.1f} | {line['near_tflops'] / peak:.0%} | {line['product_ms']:.1f} "
               f"| {sooner['near_ms']:.1f} |" if sooner else "")


def beside(kernel_lines, row_lines, torch_lines):
    yield "| work | omvc, equal bits | omvc, `--fast` | PyTorch, fp32 | processors |"
    yield "| --- | --- | --- | --- | --- |"
    first = {l["fast"]: l for l in kernel_lines if l["rows"] == 2_000_000 and float(l["missing"]) == 0}
    peers = {l["work"]: l["near_ms"] for l in torch_lines}
    peer = [f"{ms:.0f} ms" for ms in peers.values()] or ["–", "–"]
    if first:
        yield (f"| nearest 6 of 1,000 prototypes, 2,000,000 x 512 rows on the card | {first[0]['near_ms']:.0f} ms | "
               f"{first[1]['near_ms']:.0f} ms | {peer[0]} | – |")
    for line in row_lines:
        lists = "all compared" if line["lists"] <= 1 else f"{line['lists']} lists, 8 looked into"
        processors = f"{line['rows_cpu_ms']:,.0f} ms" if line["rows_cpu_ms"] else "–"
        other = peer[1] if line["features"] == 512 and line["lists"] <= 1 else "–"
        yield (f"| ten nearest of {line['rows']:,} x {line['features']} rows, copies included; {lists} | "
               f"{line['rows_card_ms']:,.0f} ms | – | {other} | {processors} |")


def fits(lines, file_lines):
    yield "| fit | device | threads | seconds | times as fast | NMI with what was planted |"
    yield "| --- | --- | --- | --- | --- | --- |"
    slow = next((l["seconds"] for l in lines if l["device"] == "cpu"), None)
    for line in lines:
        faster = f"{slow / line['seconds']:.1f}" if slow else "–"
        yield (f"| {line['rows']:,} rows, views of 768 and 512, 40 % missing, K = 100, arrays in memory | {line['device']} "
               f"| {line['threads']} | {line['seconds']:.1f} | {faster} | {line['nmi']:.3f} |")
    slow = next((l["seconds"] for l in file_lines if l["device"] == "cpu"), None)
    for line in file_lines:
        faster = f"{slow / line['seconds']:.1f}" if slow else "–"
        yield (f"| {line['rows']:,} such rows, .h5mu of {line['bytes'] / 1e9:.1f} GB in memory (read once: "
               f"{line['read_once']:.1f} s) | {line['device']} | – | {line['seconds']:.1f} | {faster} | – |")


def profile(lines):
    yield "| step of the fit from arrays | seconds on processors | seconds with the card |"
    yield "| --- | --- | --- |"
    of = {l["device"]: l["profile"] for l in lines}
    names = list(of.get("cuda", {}))
    for name in sorted(names, key=lambda name: -of["cuda"][name]):
        if of["cuda"][name] >= 0.05:
            yield f"| {name} | {of.get('cpu', {}).get(name, float('nan')):.2f} | {of['cuda'][name]:.2f} |"


def bits(lines):
    equal = [l for l in lines if l["same_bits"]]
    yield f"{len(equal)} of {len(lines)} cases have the same labels, embedding and model to the bit, on 1 and on all threads:"
    yield ""
    yield "| case | same bits |"
    yield "| --- | --- |"
    for line in lines:
        yield f"| {line['case']} | {'yes' if line['same_bits'] else 'no'} |"


def checks(sanitizer_lines, kill_lines):
    yield "| check | said |"
    yield "| --- | --- |"
    for line in sanitizer_lines:
        said = line["said"] if isinstance(line["said"], str) else "; ".join(line["said"])
        yield f"| compute-sanitizer {line['tool']}, {line['words']} | {said.replace('=', '').strip()} |"
    for line in kill_lines:
        yield f"| killed on the card, resumed on processors | {line['said']} |"


def write(files):
    machine, of = lines_of(files)
    stamp = (f"\n\nMeasured {machine['date']}, {machine['card'].replace(', ', ', driver ')}, {machine['cores']} cores; "
             "`python3 bench/device.py run`, `python3 bench/device.py write`.")
    # Multiprocessors x 128 multiply-adds x clock: 132 x 128 x 2 x 1.98 GHz for an H200.
    for mark, made in (("device kernels", kernels(of("kernels"), 66.9)),
                       ("device beside", beside(of("kernels"), of("rows"), of("torch"))),
                       ("device fits", fits(of("fits"), of("file"))), ("device profile", profile(of("fits"))),
                       ("device bits", bits(of("bits"))), ("device checks", checks(of("sanitizer"), of("kills")))):
        docs_page.put("gpu.md", mark, "\n".join(line for line in made if line is not None) + stamp)
