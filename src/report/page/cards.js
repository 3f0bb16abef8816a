// One card for each cluster shown.
const cardStep = 24;  // cards made at a time
let cardsShown = cardStep;

// A feature of the cluster (mark) against the rest (tick), on the range that the feature has in the data.
function featureBar(feature, own, rest, number) {
  const width = 100, height = 14;
  const drawing = d3.create("svg").attr("width", width).attr("height", height).attr("viewBox", [0, 0, width, height]).attr("aria-hidden", "true");
  let low = feature.low === undefined ? Math.min(0, own, rest) : feature.low;
  let high = feature.high === undefined ? Math.max(own, rest) * 1.2 : feature.high;
  // Where the range is far wider than what clusters differ by, the difference would not show.
  const differ = Math.abs(own - rest);
  if (high - low > 8 * differ) {
    low = Math.max(low, Math.min(own, rest) - 1.5 * differ);
    high = Math.min(high, Math.max(own, rest) + 1.5 * differ);
  }
  const x = d3.scaleLinear().domain(high > low ? [low, high] : [low - 1, low + 1]).range([3, width - 6]).clamp(true);
  drawing.append("rect").attr("x", 0).attr("y", 6).attr("width", width).attr("height", 2.5).attr("rx", 1.2).attr("fill", css("--track"));
  drawing.append("rect").attr("x", Math.min(x(own), x(rest))).attr("width", Math.abs(x(own) - x(rest))).attr("y", 5).attr("height", 4.5).attr("fill", colour(number)).attr("opacity", 0.55);
  drawing.append("rect").attr("x", x(rest) - 1).attr("width", 2).attr("y", 1).attr("height", 12).attr("fill", css("--soft"));
  drawing.append("circle").attr("cx", x(own)).attr("cy", 7.2).attr("r", 4).attr("fill", colour(number));
  return drawing.node();
}

function memberList(list, what) {
  return el("ul", { class: "members" }, ...list.map((one) => el("li", {}, instanceName(one) + " ", el("span", { class: "soft" }, what(one)))));
}

// Typical and borderline instances and the share of each view: counted where the fit has counted them, else by the
// instances drawn.
function membersOf(i) {
  const number = level().numbers[i];
  const counted = summary.cluster_members || [];
  if (isOwn() && counted.length > 0) {
    const found = counted[summary.cluster_numbers.indexOf(number)];
    return found ? { typical: found.typical, borderline: found.borderline } : { typical: [], borderline: [] };
  }
  const { place, share } = labels();
  const own = d3.range(place.length).filter((p) => place[p] === i)
    .map((p) => ({ row: points.row[p], id: points.id ? points.id[p] : undefined, confidence: share[p], distance: points.distance[p] }));
  own.sort((a, b) => b.confidence - a.confidence || a.distance - b.distance);
  return { typical: own.slice(0, 5), borderline: own.slice(-5).reverse() };
}
function presenceOf(i) {
  if (isOwn() && summary.patterns && summary.patterns.length > 0 && summary.patterns.length < 64) {
    const at = summary.cluster_numbers.indexOf(level().numbers[i]);
    const all = d3.sum(summary.patterns, (p) => p.cluster_sizes[at]);
    return viewDetails.map((view, v) => all > 0 ? d3.sum(summary.patterns, (p) => p.present[v] ? p.cluster_sizes[at] : 0) / all : 0);
  }
  if (!points) return null;
  const own = d3.range(points.row.length).filter((p) => labels().place[p] === i);
  return viewDetails.map((view, v) => own.length > 0 ? d3.mean(own, (p) => map.patterns[points.pattern[p]][v] ? 1 : 0) : 0);
}

function shareStrip(shares) {
  const wide = Math.max(2, Math.min(12, 300 / shares.length));
  const drawing = svg(wide * shares.length, 16, "Share of each view present: from " + percent(d3.min(shares)) + " to " + percent(d3.max(shares)));
  shares.forEach((share, v) => {
    const cell = drawing.append("rect").attr("x", v * wide).attr("width", wide - 1).attr("height", 16).attr("fill", `rgba(${css("--heat")}, ${0.08 + 0.92 * share})`);
    tipOn(cell, () => [viewDetails[v].name, percent(share) + " present"]);
  });
  return el("div", { class: "strip" }, drawing.node());
}
function shareList(shares) {
  return el("div", { class: "shares" }, ...shares.map((share, v) => {
    const bar = d3.create("svg").attr("width", 42).attr("height", 8).attr("viewBox", [0, 0, 42, 8]).attr("aria-hidden", "true");
    bar.append("rect").attr("width", 42).attr("height", 8).attr("rx", 2).attr("fill", css("--track"));
    bar.append("rect").attr("width", 42 * share).attr("height", 8).attr("rx", 2).attr("fill", css("--soft"));
    return el("span", {}, bar.node(), viewDetails[v].name + " " + percent(share));
  }));
}

function featureRows(i) {
  const number = level().numbers[i], list = (level().features || [])[i] || [], rows = [];
  const views = [];
  for (const one of list) if (!views.includes(facts.features[one[0]].view)) views.push(facts.features[one[0]].view);
  const most = views.length > 3 ? 2 : views.length > 1 ? 4 : 6;
  for (const v of views.slice(0, 6)) {
    rows.push(el("h4", {}, viewDetails[v] ? viewDetails[v].name : "view " + (v + 1)));
    for (const [at, own, rest] of list.filter((one) => facts.features[one[0]].view === v).slice(0, most)) {
      const feature = facts.features[at], up = own > rest;
      rows.push(el("div", { class: "feature" }, el("span", { "aria-label": up ? "high" : "low", role: "img" }, up ? "▲" : "▼"),
        el("span", { class: "name", title: feature.name }, feature.name), featureBar(feature, own, rest, number),
        el("span", { class: "values" }, (up ? "high: " : "low: ") + value(own) + ", the rest " + value(rest))));
    }
  }
  if (views.length > 6) rows.push(el("p", { class: "numbers" }, "and " + (views.length - 6) + " more views in the table"));
  return rows;
}

function card(i) {
  const number = level().numbers[i], all = sizes(), sure = confidences()[i], members = membersOf(i), shares = presenceOf(i);
  const numbers = count(all[i]) + " instances, " + finePercent(all[i] / (d3.sum(all) || 1)) + (sure === null || sure === undefined ? "" : ", confidence " + two(sure));
  const node = el("article", { class: "card" + (state.chosen === number ? " chosen" : ""), "data-cluster": number, "aria-label": clusterName(number) },
    el("h3", {}, symbol(number, 18), clusterName(number),
      el("button", { type: "button", "aria-pressed": String(state.chosen === number), "aria-label": "Choose " + clusterName(number), onclick: () => choose(number) },
        state.chosen === number ? "Chosen" : "Choose")),
    el("p", { class: "numbers" }, numbers), ...featureRows(i));
  if (shares && viewDetails.length > 1) node.append(el("h4", {}, "Views present"), shares.length > 8 ? shareStrip(shares) : shareList(shares));
  if (members.typical.length > 0) {
    const told = (one) => isOwn() && one.confidence !== null ? two(one.confidence) : "";
    node.append(el("h4", {}, "Typical"), memberList(members.typical, told));
    node.append(el("h4", {}, "Borderline"), memberList(members.borderline, told));
  }
  return node;
}

function drawCards() {
  const body = clear(byId("cards-body")), order = bySize();
  byId("cards-hint").textContent = "What tells each cluster from the rest" + (facts.units ? ", as means in your own units" +
    (map.rows < summary.n ? " (of a sample of " + whole(map.rows) + " instances)" : "") : "") +
    ": ▲ higher there, ▼ lower; the round mark is the cluster, the tick everybody else; only what chance does not explain is listed, the largest effect first. Typical members are the surest, borderline ones the least sure.";
  const first = state.chosen === null ? order : order.filter((i) => level().numbers[i] === state.chosen).concat(order.filter((i) => level().numbers[i] !== state.chosen));
  for (const i of first.slice(0, cardsShown)) body.append(card(i));
  const old = byId("cards-more");
  if (old) old.remove();
  const box = el("div", { id: "cards-more" });
  if (order.length > cardsShown) {
    box.append(el("button", { type: "button", class: "more", onclick: () => { cardsShown = order.length; drawCards(); } }, "Show all " + order.length + " cards"));
  }
  box.append(tableOf("features that tell clusters apart", ["cluster", "view", "feature", "direction", "cluster mean", "mean of the rest"], () =>
    bySize().flatMap((i) => ((level().features || [])[i] || []).map(([at, own, rest]) => [clusterName(level().numbers[i]),
      (viewDetails[facts.features[at].view] || {}).name, facts.features[at].name, own > rest ? "high" : "low", value(own), value(rest)]))));
  byId("cards").append(box);
}
