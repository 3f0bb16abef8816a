// How clusters split as their number grows: a column for each cut, ribbons for the instances that two clusters share.
const cuts = facts.levels.map((one, i) => i).filter((i) => facts.levels[i].group.length > 0 && facts.levels[i].numbers.length <= 40);

// The order of clusters in every column: prototypes are put in order from the coarsest cut to the finest.
function columnOrder() {
  const nodes = d3.range(map.nodes.x.length);
  const key = nodes.map(() => []);
  for (const i of cuts) {
    const one = facts.levels[i], where = one.numbers.map(() => [0, 0]);
    nodes.forEach((p) => { const g = one.group[p]; where[g][0] += map.nodes.mass[p] * map.nodes.x[p]; where[g][1] += map.nodes.mass[p]; });
    nodes.forEach((p) => key[p].push(where[one.group[p]][0] / (where[one.group[p]][1] || 1)));
  }
  nodes.sort((a, b) => { for (let c = 0; c < key[a].length; ++c) if (key[a][c] !== key[b][c]) return key[a][c] - key[b][c]; return a - b; });
  const rank = []; nodes.forEach((p, r) => { rank[p] = r; });
  return cuts.map((i) => {
    const one = facts.levels[i], sums = one.numbers.map(() => [0, 0]);
    one.group.forEach((g, p) => { sums[g][0] += rank[p] * map.nodes.mass[p]; sums[g][1] += map.nodes.mass[p]; });
    return d3.range(one.numbers.length).sort((a, b) => sums[a][0] / (sums[a][1] || 1) - sums[b][0] / (sums[b][1] || 1));
  });
}

const treeColumns = 12;  // of cuts, shown at a time: those around the one that the page shows
let treeOrder = null, treeWhole = false;
function drawTree() {
  if (!map || cuts.length < 2) { byId("tree").hidden = true; return; }
  treeOrder = treeOrder || columnOrder();
  const body = clear(byId("tree-body"));
  const size = (i) => facts.levels[i].numbers.length, part = cuts.length > treeColumns && !treeWhole;
  const here = Math.max(0, cuts.indexOf(state.level));
  const from = part ? Math.min(Math.max(0, here - treeColumns / 2), cuts.length - treeColumns) : 0;
  const shown = cuts.slice(from, part ? from + treeColumns : cuts.length), order = treeOrder.slice(from);
  body.append(el("p", { class: "hint" }, "Each column is a cut into so many clusters; heights are instances. Click a column to see it everywhere on the page." +
    (part ? " Cuts into " + size(shown[0]) + " to " + size(shown[shown.length - 1]) + " clusters; the slider moves on." : "")));
  if (cuts.length > treeColumns) {
    body.append(el("p", { class: "choice" }, el("button", { type: "button", id: "tree-whole", "aria-pressed": String(treeWhole), onclick: () => { treeWhole = !treeWhole; drawTree(); byId("tree-whole").focus(); } },
      "All cuts, " + size(cuts[0]) + " to " + size(cuts[cuts.length - 1]))));
  }
  const width = Math.max(shown.length * 44, Math.min(1120, body.clientWidth || 1120)), height = 380, top = 10, bottom = 30, left = 8, right = 8;
  const drawing = svg(width, height, "Clusters of every cut from " + facts.levels[shown[0]].numbers.length + " to " +
    facts.levels[shown[shown.length - 1]].numbers.length + " and how they split");
  const x = d3.scalePoint().domain(shown).range([left + 18, width - right - 18]);
  const total = d3.sum(map.nodes.mass) || 1, gap = 2;
  const spots = new Map();
  shown.forEach((i, c) => {
    const one = facts.levels[i], room = height - top - bottom - gap * (one.numbers.length - 1);
    let y = top;
    for (const g of order[c]) {
      const tall = room * one.sizes[g] / (d3.sum(one.sizes) || 1);
      spots.set(i + ":" + g, { y, tall, in: 0, out: 0 });
      y += tall + gap;
    }
  });
  const half = Math.min(7, x.step() / 5 || 7);
  const lit = (number) => state.chosen === null || number === state.chosen;
  drawing.append("rect").attr("x", x(state.level) - half - 5 || 0).attr("width", shown.includes(state.level) ? 2 * half + 10 : 0).attr("y", 2).attr("height", height - 4)
    .attr("rx", 5).attr("fill", "none").attr("stroke", css("--accent")).attr("stroke-width", 2);
  for (let c = 1; c < shown.length; ++c) {
    const before = facts.levels[shown[c - 1]], after = facts.levels[shown[c]], flows = new Map();
    before.group.forEach((g, p) => { const k = g + ":" + after.group[p]; flows.set(k, (flows.get(k) || 0) + map.nodes.mass[p]); });
    const list = [];
    for (const a of order[c - 1]) for (const b of order[c]) if (flows.has(a + ":" + b)) list.push([a, b, flows.get(a + ":" + b)]);
    for (const [a, b, mass] of list) {
      const from = spots.get(shown[c - 1] + ":" + a), to = spots.get(shown[c] + ":" + b);
      const h1 = from.tall * mass / (d3.sum(before.group, (g, p) => g === a ? map.nodes.mass[p] : 0) || 1);
      const h2 = to.tall * mass / (d3.sum(after.group, (g, p) => g === b ? map.nodes.mass[p] : 0) || 1);
      const y1 = from.y + from.out, y2 = to.y + to.in;
      from.out += h1; to.in += h2;
      if (mass / total < 0.002) continue;
      const x1 = x(shown[c - 1]) + half, x2 = x(shown[c]) - half, m = (x1 + x2) / 2;
      drawing.append("path").attr("d", `M${x1},${y1}C${m},${y1} ${m},${y2} ${x2},${y2}L${x2},${y2 + h2}C${m},${y2 + h2} ${m},${y1 + h1} ${x1},${y1 + h1}Z`)
        .attr("fill", colour(after.numbers[b])).attr("opacity", lit(after.numbers[b]) ? 0.32 : 0.06);
    }
  }
  shown.forEach((i) => {
    const one = facts.levels[i];
    one.numbers.forEach((number, g) => {
      const at = spots.get(i + ":" + g);
      const bar = drawing.append("rect").attr("x", x(i) - half).attr("width", 2 * half).attr("y", at.y).attr("height", Math.max(at.tall, 1)).attr("rx", 1.5)
        .attr("fill", colour(number)).attr("opacity", lit(number) ? 1 : 0.15);
      if (at.tall > 15 && x.step() > 16) drawing.append("text").attr("x", x(i)).attr("y", at.y + at.tall / 2).attr("dy", ".35em").attr("text-anchor", "middle")
        .attr("class", "on").style("fill", inkOn(colour(number))).style("font-size", half < 6 ? "8.5px" : "10px").style("font-weight", "600").attr("aria-hidden", "true")
        .attr("opacity", lit(number) ? 1 : 0.2).text(String(number).length > 2 ? "" : number);
      tipOn(bar, () => [clusterName(number), "about " + count(one.sizes[g]) + " instances, cut into " + one.numbers.length]);
      bar.node().addEventListener("click", () => change({ level: i, chosen: number }));
    });
    drawing.append("text").attr("x", x(i)).attr("y", height - 10).attr("text-anchor", "middle").attr("class", i === state.level ? "" : "soft")
      .style("font-weight", i === state.level ? "700" : "400").text(one.numbers.length);
    const hit = drawing.append("rect").attr("class", "hit").attr("x", x(i) - 14).attr("width", 28).attr("y", height - 26).attr("height", 26);
    hit.node().addEventListener("click", () => change({ level: i }));
  });
  body.append(chart(null, drawing.node()), tableOf("clusters of every cut", ["clusters", "cluster", "instances, about", "most of it was in"], () => {
    const rows = [];
    cuts.forEach((i, c) => facts.levels[i].numbers.forEach((number, g) => {
      let from = "–";
      if (c > 0) {
        const before = facts.levels[cuts[c - 1]], shared = before.numbers.map(() => 0);
        before.group.forEach((a, p) => { if (facts.levels[i].group[p] === g) shared[a] += map.nodes.mass[p]; });
        from = clusterName(before.numbers[d3.scan(shared, (a, b) => b - a)]);
      }
      rows.push([facts.levels[i].numbers.length, clusterName(number), count(facts.levels[i].sizes[g]), from]);
    }));
    return rows;
  }));
}
