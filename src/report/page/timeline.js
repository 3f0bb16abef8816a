// The clusters of a stream over time: their sizes each time they were cut, and what happened in between.
const eventMarks = { born: "▲", split: "◆", merged: "▼", gone: "✕" };
function eventText(event) {
  const who = clusterName(event.cluster), other = event.other >= 0 ? clusterName(event.other) : "another", size = ", about " + count(event.instances) + " instances";
  return { born: who + " is new" + size, split: who + " was split from " + other + size, merged: who + " went into " + other + size, gone: who + " is gone" + size }[event.event];
}
function drawTimeline() {
  const line = summary.timeline || [];
  if (line.length < 2) { byId("timeline").hidden = true; return; }
  const body = clear(byId("timeline-body"));
  body.append(el("p", { class: "hint" }, "Sizes of the clusters each time they were cut, by the number of instances learned until then. ▲ born, ◆ split off, ▼ merged, ✕ gone."));
  const numbers = [];
  for (const point of line) for (const number of point.numbers) if (!numbers.includes(number)) numbers.push(number);
  numbers.sort((a, b) => a - b);
  const rows = line.map((point) => { const row = { at: point.instances }; numbers.forEach((number) => { const i = point.numbers.indexOf(number); row[number] = i < 0 ? 0 : point.sizes[i]; }); return row; });
  const width = 1120, height = 330, left = 58, right = 16, top = 34, bottom = 36;
  const x = d3.scaleLinear().domain([rows[0].at, rows[rows.length - 1].at]).range([left, width - right]);
  const y = d3.scaleLinear().domain([0, d3.max(rows, (row) => d3.sum(numbers, (number) => row[number])) || 1]).nice().range([height - bottom, top]);
  const drawing = svg(width, height, "Sizes of " + numbers.length + " clusters over " + line.length + " cuts");
  const area = d3.area().x((d) => x(d.data.at)).y0((d) => y(d[0])).y1((d) => y(d[1])).curve(d3.curveMonotoneX);
  const stacks = d3.stack().keys(numbers)(rows);
  drawing.append("g").selectAll("path").data(stacks).join("path").attr("d", area).attr("fill", (d) => colour(d.key)).attr("stroke", css("--bg")).attr("stroke-width", 0.8)
    .attr("opacity", (d) => state.chosen === null || state.chosen === d.key ? 0.85 : 0.12).call((paths) => tipOn(paths, (d) => [clusterName(d.key)]));
  for (const one of stacks) {
    const last = one[one.length - 1];
    if (y(last[0]) - y(last[1]) > 14) drawing.append("text").attr("x", width - right - 6).attr("y", (y(last[0]) + y(last[1])) / 2).attr("dy", ".35em").attr("text-anchor", "end")
      .style("fill", inkOn(colour(one.key))).style("font-weight", "600").attr("aria-hidden", "true").text(one.key);
  }
  axis(drawing.append("g").attr("transform", `translate(${left},0)`), y, "left", 5, shortCount);
  axis(drawing.append("g").attr("transform", `translate(0,${height - bottom})`), x, "bottom", 8, shortCount);
  drawing.append("text").attr("class", "soft").attr("x", width - right).attr("y", height - 4).attr("text-anchor", "end").text("instances learned");
  line.forEach((point) => {
    const kinds = Object.keys(eventMarks).filter((kind) => point.events.some((event) => event.event === kind));
    if (kinds.length === 0) return;
    const mark = drawing.append("text").attr("x", x(point.instances)).attr("y", 18).attr("text-anchor", "middle").text(kinds.map((kind) => eventMarks[kind]).join(""));
    drawing.append("line").attr("class", "rule").attr("x1", x(point.instances)).attr("x2", x(point.instances)).attr("y1", 24).attr("y2", height - bottom).attr("stroke-dasharray", "2 3");
    tipOn(mark, () => ["after " + count(point.instances) + " instances"].concat(point.events.slice(0, 8).map(eventText)));
  });
  body.append(chart(null, drawing.node()), tableOf("events", ["instances learned", "event"], () => line.flatMap((point) => point.events.map((event) => [count(point.instances), eventText(event)]))),
    tableOf("sizes over time", ["instances learned"].concat(numbers.map(clusterName)), () => rows.map((row) => [count(row.at)].concat(numbers.map((number) => count(row[number]))))));
}
