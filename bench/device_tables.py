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
    yield "| work | omvc, equal bits | omvc, `--fast` | PyTorch, fp32 | PyTorch, TF32 | 16 cores | same bits |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    first = {l["fast"]: l for l in kernel_lines if l["rows"] == 2_000_000 and float(l["missing"]) == 0}
    peers = {(l["work"], l["fast"]): l for l in torch_lines}

    def peer(work, what="near_ms"):
        return [f"{peers[work, fast][what]:.0f} ms" if (work, fast) in peers else "–" for fast in (False, True)]

    on_cores = next((l for l in row_lines if l["rows"] == 2_000_000), None)
    if first:
        cores = f"{on_cores['near_cpu_ms']:,.0f} ms" if on_cores else "–"
        yield (f"| nearest 6 of 1,000 prototypes, 2,000,000 x 512 rows on the card | {first[0]['near_ms']:.0f} ms | "
               f"{first[1]['near_ms']:.0f} ms | {' | '.join(peer('prototypes'))} | {cores} | – |")
        yield (f"| the product with them alone | {first[0]['product_ms']:.0f} ms | {first[1]['product_ms']:.0f} ms | "
               f"{' | '.join(peer('prototypes', 'product_ms'))} | – | – |")
    for line in row_lines:
        same = "yes" if line["same_bits"] else "no"
        if line["rows"] == 2_000_000:
            yield (f"| the same, copied there and back | {line['near_card_ms']:,.0f} ms | – | – | – | "
                   f"{line['near_cpu_ms']:,.0f} ms | {same} |")
            continue
        lists = "all compared" if line["lists"] <= 1 else f"{line['lists']} lists, 8 looked into"
        others = peer("rows") if line["features"] == 512 and line["lists"] <= 1 else ["–", "–"]
        yield (f"| ten nearest of {line['rows']:,} x {line['features']} rows, copies included; {lists} | "
               f"{line['rows_card_ms']:,.0f} ms | – | {' | '.join(others)} | {line['rows_cpu_ms']:,.0f} ms | {same} |")


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
    equal = {(l["labels"], l["model"]) for l in lines if l["device"] in ("cpu", "cuda")}
    if len(equal) == 1:
        yield ""
        yield "Labels and model of the first fit are equal to the bit on the card and on processors."


def profile(lines, file_lines):
    yield "| step | from arrays: processors, s | with the card, s | from a file: processors, s | with the card, s |"
    yield "| --- | --- | --- | --- | --- |"
    columns = [{l["device"]: l["profile"] for l in some} for some in (lines, file_lines)]
    times = [of.get(device, {}) for of in columns for device in ("cpu", "cuda")]
    names = {name for column in times for name in column}
    for name in sorted(names, key=lambda name: -max(column.get(name, 0) for column in times)):
        if max(column.get(name, 0) for column in times) >= 0.05:
            yield f"| {name} | " + " | ".join(f"{column[name]:.2f}" if name in column else "–" for column in times) + " |"


def bits(lines):
    equal = [l for l in lines if l["same_bits"]]
    yield f"{len(equal)} of {len(lines)} cases have the same labels, embedding and model to the bit, on 1 and on all threads:"
    yield ""
    yield "| case | same bits |"
    yield "| --- | --- |"
    for line in lines:
        yield f"| {line['case']} | {'yes' if line['same_bits'] else 'no'} |"


def checks(sanitizer_lines, kill_lines, test_lines):
    yield "| check | said |"
    yield "| --- | --- |"
    for line in test_lines:
        said = next((words for words in line["said"].splitlines() if "PASSED" in words), f"exit {line['exit']}")
        yield f"| the tests of the operations, card against processors | {said.replace('[  PASSED  ]', 'passed:').strip()} |"
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
                       ("device fits", fits(of("fits"), of("file"))), ("device profile", profile(of("fits"), of("file"))),
                       ("device bits", bits(of("bits"))), ("device checks", checks(of("sanitizer"), of("kills"), of("tests")))):
        docs_page.put("gpu.md", mark, "\n".join(line for line in made if line is not None) + stamp)
