// Which views instances have together: presence patterns as an UpSet plot, and how they spread over the clusters.
function patternsShown() {
  if (isOwn() && summary.patterns && summary.patterns.length > 0) {
    const order = level().numbers.map((number) => summary.cluster_numbers.indexOf(number));
    return summary.patterns.map((p) => ({ present: p.present, instances: p.instances, spread: order.map((at) => at < 0 ? 0 : p.cluster_sizes[at]) }));
  }
  if (!points) return [];
  const all = map.patterns.map((present) => ({ present, instances: 0, spread: level().numbers.map(() => 0) }));
  labels().place.forEach((g, i) => { if (g >= 0) { const p = all[points.pattern[i]]; p.instances += 1; p.spread[g] += 1; } });
  return all.filter((p) => p.instances > 0).sort((a, b) => b.instances - a.instances);
}

function drawMissing() {
  const body = clear(byId("missing-body")), patterns = patternsShown();
  if (viewDetails.length < 2 || patterns.length === 0) {
    body.append(el("p", { class: "hint" }, viewDetails.length < 2 ? "There is one view: an instance has it or is not there." : "Nothing is known about which views are present."));
    return;
  }
  const sampled = !isOwn() || !facts.whole || !(summary.patterns && summary.patterns.length > 0);
  const follows = summary.pattern_nmi || 0;
  if (follows > 0.3) {
    body.append(el("p", { class: "warning" }, "The clusters follow which views are present: NMI " + two(follows) +
      " of presence pattern and cluster. Look at the colours below before trusting them."));
  }
  body.append(el("p", { class: "hint" }, "Each column is a combination of views (filled dots: present) and how many instances have it; the colours show how they spread over the clusters" +
    (isOwn() ? ", NMI " + two(follows) + " of pattern and cluster (0: clusters do not depend on what is missing)" : "") + (sampled ? "; counted in the sample" : "") + "."));
  const most = Math.min(patterns.length, 28), names = Math.min(190, 30 + 6.4 * d3.max(viewDetails, (v) => Math.min(26, v.name.length)));
  const side = 120, step = Math.max(20, Math.min(54, (1120 - names - side - 30) / most)), row = viewDetails.length > 20 ? 13 : 22;
  const bars = 150, spread = 110, left = names + side, width = left + most * step + 16, dots = bars + 16, below = dots + viewDetails.length * row + 12;
  const height = below + spread + 22;
  const drawing = svg(width, height, whole(patterns.length) + " combinations of views; the most frequent has " + whole(patterns[0].instances) + " instances");
  const y = d3.scaleLinear().domain([0, patterns[0].instances]).nice().range([bars, 34]);
  axis(drawing.append("g").attr("transform", `translate(${left},0)`), y, "left", 4, shortCount);
  const totals = viewDetails.map((view, v) => d3.sum(patterns, (p) => p.present[v] ? p.instances : 0)), sum = d3.sum(patterns, (p) => p.instances) || 1;
  viewDetails.forEach((view, v) => {
    const at = dots + v * row;
    if (v % 2 === 0) drawing.append("rect").attr("x", 0).attr("width", width).attr("y", at).attr("height", row).attr("fill", css("--panel"));
    drawing.append("text").attr("x", names - 8).attr("y", at + row / 2).attr("dy", ".35em").attr("text-anchor", "end").style("font-size", row < 16 ? "10px" : null)
      .text(view.name.length > 26 ? view.name.slice(0, 25) + "…" : view.name).append("title").text(view.name);
    drawing.append("rect").attr("class", "bar-off").attr("x", names).attr("y", at + row * 0.28).attr("height", row * 0.44).attr("width", (side - 46) * totals[v] / sum);
    drawing.append("text").attr("class", "soft").attr("x", names + (side - 46) * totals[v] / sum + 4).attr("y", at + row / 2).attr("dy", ".35em").style("font-size", "10.5px").text(percent(totals[v] / sum));
  });
  patterns.slice(0, most).forEach((p, c) => {
    const x = left + c * step + step / 2, wide = Math.min(26, step - 6);
    drawing.append("rect").attr("class", "bar-on").attr("x", x - wide / 2).attr("width", wide).attr("y", y(p.instances)).attr("height", bars - y(p.instances));
    if (step >= 30) drawing.append("text").attr("x", x).attr("y", y(p.instances) - 4).attr("text-anchor", "middle").attr("class", "soft").style("font-size", "10.5px").text(p.instances >= 1e5 ? d3.format(".3~s")(p.instances) : count(p.instances));
    const there = viewDetails.map((view, v) => v).filter((v) => p.present[v]);
    if (there.length > 1) drawing.append("line").attr("x1", x).attr("x2", x).attr("y1", dots + (there[0] + 0.5) * row).attr("y2", dots + (there[there.length - 1] + 0.5) * row).attr("stroke", css("--fg")).attr("stroke-width", 1.5);
    viewDetails.forEach((view, v) => drawing.append("circle").attr("cx", x).attr("cy", dots + (v + 0.5) * row).attr("r", row < 16 ? 3.2 : 5).attr("fill", p.present[v] ? css("--fg") : css("--track")));
    let at = below;
    for (const g of bySize()) {
      const tall = spread * p.spread[g] / (p.instances || 1);
      if (!(tall > 0)) continue;
      const number = level().numbers[g];
      const part = drawing.append("rect").attr("x", x - wide / 2).attr("width", wide).attr("y", at).attr("height", tall).attr("fill", colour(number))
        .attr("stroke", css("--bg")).attr("stroke-width", 0.7).attr("opacity", state.chosen === null || state.chosen === number ? 1 : 0.15);
      if (tall > 13 && wide > 15) drawing.append("text").attr("x", x).attr("y", at + tall / 2).attr("dy", ".35em").attr("text-anchor", "middle").attr("aria-hidden", "true")
        .style("fill", inkOn(colour(number))).style("font-size", "10px").style("font-weight", "600").style("pointer-events", "none").text(number);
      tipOn(part, () => [clusterName(number), count(p.spread[g]) + " of " + count(p.instances) + " instances with this pattern"]);
      at += tall;
    }
  });
  drawing.append("text").attr("class", "soft").attr("x", left - 8).attr("y", below + spread / 2).attr("text-anchor", "end").text("over the clusters");
  drawing.append("text").attr("class", "soft").attr("x", left - 8).attr("y", 12).attr("text-anchor", "end").text("instances");
  if (patterns.length > most) drawing.append("text").attr("class", "soft").attr("x", left).attr("y", height - 4).text("and " + (patterns.length - most) + " more patterns, in the table");
  body.append(chart(null, drawing.node()), tableOf("presence patterns over the clusters", ["views present", "instances"].concat(level().numbers.map(clusterName)), () =>
    patterns.map((p) => [viewDetails.filter((view, v) => p.present[v]).map((view) => view.name).join(" + ") || "none", count(p.instances)].concat(p.spread.map(count)))));
}
