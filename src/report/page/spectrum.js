// The eigenvalues that K was chosen by, else those of the graph of prototypes, and the gap behind each of them.
function drawSpectrum() {
  const chosenBy = summary.choice ? summary.choice.eigenvalues : [];
  const values = chosenBy.length >= 3 ? chosenBy : facts.eigenvalues || [];
  const section = byId("spectrum");
  if (values.length < 3) { section.hidden = true; return; }
  const own = facts.levels[ownLevel].numbers.length, now = level().numbers.length;
  const shown = Math.min(values.length, Math.max(32, Math.min(60, own + 10)));
  const body = clear(byId("spectrum-body"));
  const choice = summary.choice;
  body.append(el("p", { class: "hint" }, (choice ? choice.verdict + " " : "The number of clusters was given: " + own + ". ") +
    "K clusters show as a gap behind the K-th eigenvalue; at K = " + now + " it is " +
    (now < values.length ? d3.format(".4f")(values[now - 1] - values[now]) : "not known") + "."));
  const width = 1120, left = 46, right = 12, upper = 190, lower = 90, height = upper + lower + 66;
  const x = d3.scaleBand().domain(d3.range(1, shown + 1)).range([left, width - right]).padding(0.3);
  const low = d3.min(values.slice(0, shown));
  const y = d3.scaleLinear().domain([Math.min(low, 0.98), 1]).nice().range([upper, 30]);
  const gaps = d3.range(1, Math.min(shown, values.length - 1) + 1).map((k) => ({ k, gap: Math.max(0, values[k - 1] - values[k]) }));
  const drawing = svg(width, height, "Eigenvalues in descending order and the gap behind each; the largest gap from 2 on is behind " +
    (d3.scan(gaps.slice(1), (a, b) => b.gap - a.gap) + 2));
  const tops = d3.max(gaps.slice(1), (d) => d.gap) || 1e-9;
  const z = d3.scaleLinear().domain([0, tops * 1.08]).range([upper + 44 + lower, upper + 44]);
  axis(drawing.append("g").attr("transform", `translate(${left},0)`), y, "left", 5);
  axis(drawing.append("g").attr("transform", `translate(${left},0)`), z, "left", 3);
  const ticks = shown > 34 ? 5 : 1;
  drawing.append("g").attr("class", "axis").attr("transform", `translate(0,${height - 22})`)
    .call(d3.axisBottom(x).tickSizeOuter(0).tickValues(x.domain().filter((k) => k % ticks === 0 || k === 1)));
  drawing.append("text").attr("class", "soft").attr("x", 4).attr("y", 12).text("eigenvalue");
  drawing.append("text").attr("class", "soft").attr("x", 4).attr("y", upper + 32).text("gap behind it");
  drawing.append("g").selectAll("line").data(values.slice(0, shown)).join("line").attr("class", "rule")
    .attr("x1", (d, i) => x(i + 1) + x.bandwidth() / 2).attr("x2", (d, i) => x(i + 1) + x.bandwidth() / 2)
    .attr("y1", upper).attr("y2", (d) => y(d));
  drawing.append("g").selectAll("circle").data(values.slice(0, shown)).join("circle").attr("r", (d, i) => i < now ? 4.5 : 3)
    .attr("class", (d, i) => i < now ? "bar-on" : "bar-off").attr("cx", (d, i) => x(i + 1) + x.bandwidth() / 2).attr("cy", (d) => y(d));
  drawing.append("g").selectAll("rect").data(gaps.filter((d) => d.k > 1)).join("rect").attr("class", (d) => d.k === now ? "bar-on" : "bar-off")
    .attr("x", (d) => x(d.k)).attr("width", x.bandwidth()).attr("y", (d) => z(d.gap)).attr("height", (d) => z(0) - z(d.gap));
  if (now <= shown) {
    const at = x(now) + x.step() - (x.step() - x.bandwidth()) / 2;
    drawing.append("line").attr("x1", at).attr("x2", at).attr("y1", 20).attr("y2", height - 22).attr("stroke", css("--accent")).attr("stroke-dasharray", "3 3");
  }
  const signs = new Map((choice && choice.signs ? choice.signs : []).map((s) => [s.clusters, s]));
  const hits = drawing.append("g").selectAll("rect").data(gaps).join("rect").attr("class", "hit").attr("x", (d) => x(d.k) - x.step() * x.padding() / 2)
    .attr("width", x.step()).attr("y", 0).attr("height", height - 22);
  hits.each(function (d) { this.addEventListener("click", () => { const to = facts.levels.findIndex((l) => l.numbers.length === d.k); if (to >= 0) change({ level: to }); }); });
  tipOn(hits, (d) => ["K = " + d.k, "eigenvalue " + d3.format(".4f")(values[d.k - 1]), "gap behind it " + d3.format(".4f")(d.gap)]
    .concat(signs.has(d.k) ? ["agreement of two halves " + two(signs.get(d.k).agreement)] : []));
  body.append(chart(null, drawing.node()), tableOf("eigenvalues and gaps", ["K", "eigenvalue", "gap behind it"].concat(signs.size > 0 ? ["agreement of two halves"] : []),
    () => values.map((v, i) => [i + 1, d3.format(".5f")(v), i + 1 < values.length ? d3.format(".5f")(v - values[i + 1]) : "–"]
      .concat(signs.size > 0 ? [signs.has(i + 1) ? two(signs.get(i + 1).agreement) : "–"] : []))));
}
