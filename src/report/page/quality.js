// How good it is: views explained, passes, confidence, outliers, and the truth where there is one.
function explainedChart() {
  const row = 24, left = 190, width = 520, height = viewDetails.length * row + 8;
  const drawing = svg(width, height, "Share of each view that the clusters explain");
  viewDetails.forEach((view, v) => {
    const y = v * row + 4;
    drawing.append("text").attr("x", left - 8).attr("y", y + row / 2).attr("dy", ".35em").attr("text-anchor", "end").text(view.name.length > 26 ? view.name.slice(0, 25) + "…" : view.name).append("title").text(view.name);
    drawing.append("rect").attr("x", left).attr("y", y + 5).attr("width", width - left - 50).attr("height", row - 10).attr("rx", 2).attr("fill", css("--track"));
    drawing.append("rect").attr("class", "bar-on").attr("x", left).attr("y", y + 5).attr("width", (width - left - 50) * view.explained).attr("height", row - 10).attr("rx", 2);
    drawing.append("text").attr("class", "soft").attr("x", width - 44).attr("y", y + row / 2).attr("dy", ".35em").text(finePercent(view.explained));
  });
  return el("div", {}, chart("How much of each view the clusters explain", drawing.node()), tableOf("views", ["view", "features", "present", "explained", "worth", "scaling"], () =>
    viewDetails.map((view) => [view.name, count(view.features), count(view.observed), finePercent(view.explained), view.worth === null || view.worth === undefined ? "" : view.worth.toFixed(2), view.scaling])));
}

function confidenceChart() {
  const steps = summary.confidence_histogram || [];
  if (steps.length === 0) return null;
  const width = 520, height = 190, left = 52;
  const drawing = svg(width, height, "Instances by confidence, mean " + two(summary.confidence));
  const x = d3.scaleLinear().domain([0, 1]).range([left, width - 14]), y = d3.scaleLinear().domain([0, d3.max(steps) || 1]).nice().range([height - 26, 10]);
  axis(drawing.append("g").attr("transform", `translate(${left},0)`), y, "left", 4, shortCount);
  axis(drawing.append("g").attr("transform", `translate(0,${height - 26})`), x, "bottom", 5);
  const bars = drawing.append("g").selectAll("rect").data(steps).join("rect").attr("class", "bar-on").attr("x", (d, i) => x(i / steps.length) + 1)
    .attr("width", (x(1) - x(0)) / steps.length - 2).attr("y", (d) => y(d)).attr("height", (d) => y(0) - y(d));
  bars.each(function (d, i) { tipOn(d3.select(this), () => ["confidence " + two(i / steps.length) + " to " + two((i + 1) / steps.length), count(d) + " instances"]); });
  return el("div", {}, chart("How sure the labels are: confidence, mean " + two(summary.confidence), drawing.node()),
    el("p", { class: "hint" }, "Confidence is the chance that a model learned from other rows of the same data gives the instance the same cluster."),
    tableOf("instances by confidence", ["from", "to", "instances"], () => steps.map((d, i) => [two(i / steps.length), two((i + 1) / steps.length), count(d)])));
}

function passesPart() {
  const passes = summary.per_pass || [];
  if (passes.length === 0) return null;
  const curve = passes.flatMap((pass, p) => (pass.curve && pass.curve.length > 0 ? pass.curve : [pass.loss]).map((loss, i, all) => ({ at: p + (all.length > 1 ? i / (all.length - 1) : 1), loss })))
    .filter((d) => d.loss !== null);
  const body = el("div");
  if (curve.length > 1) {
    const width = 520, height = 190, left = 60;
    const drawing = svg(width, height, "Loss over " + passes.length + " passes");
    const x = d3.scaleLinear().domain([0, passes.length]).range([left, width - 8]), y = d3.scaleLinear().domain(d3.extent(curve, (d) => d.loss)).nice().range([height - 26, 10]);
    axis(drawing.append("g").attr("transform", `translate(${left},0)`), y, "left", 4);
    axis(drawing.append("g").attr("transform", `translate(0,${height - 26})`), x, "bottom", Math.min(passes.length, 10));
    drawing.append("path").attr("fill", "none").attr("stroke", css("--accent")).attr("stroke-width", 2).attr("d", d3.line().x((d) => x(d.at)).y((d) => y(d.loss))(curve));
    body.append(chart("Loss over passes", drawing.node()));
  } else {
    body.append(el("figcaption", {}, "Loss"), el("p", { class: "hint" }, "All instances were learned at once: loss " + value(passes[0].loss) + " (mean squared distance of an instance from its prototype)."));
  }
  body.append(tableOf("passes", ["pass", "loss", "error", "seconds"], () => passes.map((pass, p) => [p + 1, value(pass.loss), value(pass.error), two(pass.seconds)])));
  return body;
}

function outlierPart() {
  const far = summary.farthest || [];
  const body = el("div", {}, el("h3", {}, count(summary.outliers) + " outliers"),
    el("p", { class: "hint" }, "Instances whose distance from their neighbours is above 3: 1 is usual, and one row in a hundred is above 3 by chance" + (far.length > 0 ? (far.length < summary.outliers ? ". The " + far.length + " farthest:" : ". All of them:") : ".")));
  if (far.length > 0) {
    const table = el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "instance"), el("th", { scope: "col" }, "distance"), el("th", { scope: "col" }, "confidence"))));
    table.append(el("tbody", {}, ...far.map((one) => el("tr", {}, el("td", {}, instanceName(one)), el("td", {}, value(one.distance)), el("td", {}, one.confidence === null ? "–" : two(one.confidence))))));
    body.append(el("div", { class: "table", tabindex: "0", role: "region", "aria-label": "The farthest outliers" }, table));
  }
  return body;
}

// As much of a name as fits into so many pixels.
function shortName(name, room) {
  const most = Math.max(2, Math.floor(room / 7));
  return name.length > most ? name.slice(0, most - 1) + "…" : name;
}

function truthPart() {
  const truth = facts.truth;
  if (!truth) return null;
  const body = el("div", { class: "wide" }, el("h3", {}, "Against the truth"), el("ul", { class: "scores" },
    ...[["NMI", truth.nmi], ["accuracy", truth.accuracy], ["ARI", truth.ari], ["purity", truth.purity]].map(([name, x]) => el("li", {}, el("b", {}, d3.format(".3f")(x)), el("span", {}, name)))));
  // Matched pairs come first, so that what agrees is on the diagonal.
  const rows = d3.range(truth.clusters.length).filter((i) => truth.match[i] >= 0).concat(d3.range(truth.clusters.length).filter((i) => truth.match[i] < 0));
  const used = rows.map((i) => truth.match[i]).filter((j) => j >= 0);
  const columns = used.concat(d3.range(truth.classes.length).filter((j) => !used.includes(j)));
  const cell = Math.max(6, Math.min(52, 900 / Math.max(columns.length, 1), 620 / Math.max(rows.length, 1))), left = 86, top = 46;
  const longest = d3.max(columns, (j) => className(truth.classes[j]).length) || 0;
  const wide = Math.max(cell, Math.min(120, 7 * longest + 10, 900 / columns.length)), step = Math.max(1, Math.ceil(26 / wide));
  const drawing = svg(left + columns.length * wide + 10, top + rows.length * cell + 10, "Found clusters against true classes");
  const most = d3.max(truth.counts, (row) => d3.max(row)) || 1, every = Math.ceil(15 / cell);
  drawing.append("text").attr("class", "soft").attr("x", left).attr("y", 13).text("true class");
  columns.forEach((j, c) => { if (c % step === 0) drawing.append("text").attr("x", left + (c + 0.5) * wide).attr("y", top - 8).attr("text-anchor", "middle").text(shortName(className(truth.classes[j]), wide * step)).append("title").text(className(truth.classes[j])); });
  rows.forEach((i, r) => {
    if (r % every === 0) drawing.append("text").attr("x", left - 8).attr("y", top + (r + 0.5) * cell).attr("dy", ".35em").attr("text-anchor", "end").text((cell > 20 ? "cluster " : "") + truth.clusters[i]);
    columns.forEach((j, c) => {
      const n = truth.counts[i][j];
      const box = drawing.append("rect").attr("x", left + c * wide).attr("y", top + r * cell).attr("width", wide - 1).attr("height", cell - 1).attr("rx", cell > 20 ? 3 : 0).attr("fill", n > 0 ? `rgba(${css("--heat")}, ${0.1 + 0.9 * n / most})` : css("--panel"));
      tipOn(box, () => ["cluster " + truth.clusters[i] + ", class " + className(truth.classes[j]), count(n) + " instances"]);
      if (cell >= 30 && n > 0) drawing.append("text").attr("x", left + (c + 0.5) * wide - 0.5).attr("y", top + (r + 0.5) * cell).attr("dy", ".35em").attr("text-anchor", "middle").style("pointer-events", "none")
        .style("fill", n / most > 0.45 ? css("--bg") : css("--fg")).text(n >= 1e4 ? d3.format(".2~s")(n) : count(n));
    });
  });
  body.append(chart("Found clusters (rows) against true classes (columns)", drawing.node()), tableOf("found clusters against true classes", ["cluster"].concat(columns.map((j) => (facts.class_names ? "" : "class ") + className(truth.classes[j]))), () =>
    rows.map((i) => [String(truth.clusters[i])].concat(columns.map((j) => count(truth.counts[i][j]))))));
  return body;
}

function drawQuality() {
  const body = clear(byId("quality-body"));
  for (const part of [explainedChart(), confidenceChart(), passesPart(), outlierPart(), truthPart()]) if (part) body.append(part);
}
