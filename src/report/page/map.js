// Prototypes and instances in the plane, on a canvas: thousands of marks, moved without delay.
const view = { transform: d3.zoomIdentity, width: 0, height: 0, focus: -1 };
let canvas = null, pen = null, search = null, zooming = null, spots = null;

function middle(i) {
  let x = 0, y = 0, all = 0;
  points.near[i].forEach((node, j) => {
    const by = points.weight[i][j];
    x += by * map.nodes.x[node]; y += by * map.nodes.y[node]; all += by;
  });
  return all > 0 ? [x / all, y / all] : [0, 0];
}
// Every instance a little beside where its prototypes put it: many of them share a place. The golden angle spreads them.
function spread(i) {
  const [x, y] = middle(i);
  const angle = i * 2.399963, far = 0.012 * Math.sqrt(((i * 7919) % 1000) / 1000);
  return [x + far * Math.cos(angle), y + far * Math.sin(angle)];
}

function makeMap() {
  const box = byId("map-box");
  if (!map || map.nodes.x.length === 0) {
    byId("map").hidden = true;
    return;
  }
  byId("map-hint").textContent = whole(map.nodes.x.length) + " fine prototypes (large marks, by their number of instances), near to each other " +
    "where instances lie between them" + (points.row.length > 0 ? ", and " + whole(points.row.length) + (points.row.length < summary.n ? " of " +
    whole(summary.n) : "") + " instances (small marks). " : ". ") + "Scroll or pinch to zoom, drag (with two fingers on a touch screen) to move, click to choose a cluster.";
  spots = d3.range(points.row.length).map(spread);
  const all = spots.map(([x, y], i) => ({ x, y, point: i })).concat(map.nodes.x.map((x, i) => ({ x, y: map.nodes.y[i], node: i })));
  search = d3.quadtree().x((d) => d.x).y((d) => d.y).addAll(all);
  canvas = el("canvas", { tabindex: "0", role: "application", id: "map-canvas", "aria-roledescription": "map",
    "aria-label": "Map of prototypes and instances. Arrow keys move it, plus and minus zoom, 0 shows all of it, " +
      "n and p step through the prototypes, Enter chooses the cluster of one. The tables below say the same." });
  pen = canvas.getContext("2d");
  box.append(canvas, el("div", { class: "zoom" },
    el("button", { type: "button", "aria-label": "Zoom in", onclick: () => zoomBy(1.6) }, "+"),
    el("button", { type: "button", "aria-label": "Zoom out", onclick: () => zoomBy(1 / 1.6) }, "−"),
    el("button", { type: "button", "aria-label": "Show the whole map", onclick: showAll }, "⤢")));
  // One finger scrolls the page, two move and zoom the map.
  const moves = (event) => event.touches ? event.touches.length > 1 : (!event.ctrlKey || event.type === "wheel") && !event.button;
  zooming = d3.zoom().filter(moves).scaleExtent([1, 60]).on("zoom", () => { view.transform = d3.zoomTransform(canvas); draw(); });
  d3.select(canvas).call(zooming);
  canvas.addEventListener("pointermove", hover);
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    const found = under(event);
    if (found) choose(clusterOf(found)); else change({ chosen: null });
  });
  canvas.addEventListener("keydown", onKey);
  makeColourings();
  new ResizeObserver(resize).observe(box);
  resize();
  byId("map-tables").append(mapTables.clusters, mapTables.instances);
}

// Ways to colour instances: a colour for each of them, and what the colours mean; the first is that of clusters.
function shadeOf(values, low, high) {
  const shade = d3.scaleSequential(d3.interpolateViridis).domain([low, high]).clamp(true);
  return (i) => values[i] === null || values[i] === undefined ? css("--soft") : shade(values[i]);
}
const colourings = [{ name: "cluster" }];
function findColourings() {
  if (!points || points.row.length === 0) return;
  const add = (name, of, told) => colourings.push({ name, of, told });
  if (points.confidence.some((x) => x !== null)) add("confidence", shadeOf(points.confidence, 0, 1), "dark: 0, light: 1");
  add("distance", shadeOf(points.distance.map((x) => x === null ? null : Math.log(Math.max(x, 0.1))), Math.log(0.3), Math.log(6)), "dark: usual, light: far");
  if (map.patterns.length > 1) {
    const there = points.pattern.map((p) => d3.sum(map.patterns[p], Number));
    add("views present", shadeOf(there, d3.min(there), d3.max(there)), "dark: " + d3.min(there) + " views, light: " + d3.max(there));
    viewDetails.slice(0, 12).forEach((view, v) => add("has " + view.name, (i) => map.patterns[points.pattern[i]][v] ? colour(0) : colour(1), "first colour of the clusters: yes, second: no"));
  }
  if (points.class && points.class.some((x) => x !== null)) {
    const classes = Array.from(new Set(points.class.filter((x) => x !== null))).sort(d3.ascending);
    const told = classes.length > 12 ? classes.length + " classes, in the colours of clusters 0 to " + (classes.length - 1) :
      classes.map((one, i) => className(one) + " as cluster " + i).join(", ");
    add("true class", (i) => points.class[i] === null ? css("--soft") : colour(classes.indexOf(points.class[i])), told);
  }
  for (const one of map.values || []) {
    const feature = facts.features[one.feature];
    const shade = d3.scaleSequential(d3.interpolateViridis).domain([0, 63]);
    add(feature.name, (i) => one.steps[i] === "." ? css("--soft") : shade(steps.indexOf(one.steps[i])),
      "dark: " + value(one.low) + ", light: " + value(one.high) + (one.steps.includes(".") ? ", grey: missing" : ""));
    colourings[colourings.length - 1].group = (viewDetails[feature.view] || {}).name;
  }
}
const steps = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";  // of values, from low to high
function colouring() { return colourings[Number(byId("map-by").value) || 0]; }
function makeColourings() {
  findColourings();
  const choice = byId("map-by");
  const groups = new Map();  // features by view
  colourings.forEach((one, i) => {
    if (one.group !== undefined && !groups.has(one.group)) groups.set(one.group, choice.appendChild(el("optgroup", { label: one.group })));
    (one.group === undefined ? choice : groups.get(one.group)).append(el("option", { value: String(i) }, one.name));
  });
  byId("map-choice").hidden = colourings.length < 2;
  choice.addEventListener("change", () => { byId("map-scale").textContent = colouring().told || ""; draw(); });
}

function sureness(i) {
  const share = labels().share[i];
  return isOwn() && share !== null && share !== undefined ? two(share) : "–";
}

const mapTables = {
  clusters: tableOf("clusters on the map", ["cluster", "instances", "share", "confidence", "prototypes"], () => {
    const all = sizes(), sure = confidences(), sum = d3.sum(all) || 1;
    return bySize().map((i) => [clusterName(level().numbers[i]), count(all[i]), finePercent(all[i] / sum),
      sure[i] === null ? "–" : two(sure[i]), count(level().group.filter((g) => g === i).length)]);
  }),
  instances: tableOf("instances on the map", ["instance", "cluster", "confidence", "distance", "views present"], () =>
    points ? d3.range(points.row.length).map((i) => [pointName(i), labels().place[i] < 0 ? "none" : String(level().numbers[labels().place[i]]),
      sureness(i), value(points.distance[i]), viewsOf(points.pattern[i])]) : []),
};

function resize() {
  const width = byId("map-box").clientWidth || 800;
  const tall = d3.max(map.nodes.y, Math.abs) || 0.5;
  view.width = width;
  view.height = Math.round(width * Math.min(0.74, Math.max(0.5, tall * 1.02)));
  const by = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * by);
  canvas.height = Math.round(view.height * by);
  canvas.style.height = view.height + "px";
  draw();
}
function base() { return Math.min(view.width / 2.16, view.height / (2.16 * Math.max(d3.max(map.nodes.y, Math.abs), 0.05))); }
function screen(x, y) { return view.transform.apply([view.width / 2 + x * base(), view.height / 2 - y * base()]); }
function plane(px, py) {
  const [x, y] = view.transform.invert([px, py]);
  return [(x - view.width / 2) / base(), (view.height / 2 - y) / base()];
}
function zoomBy(by) { d3.select(canvas).call(zooming.scaleBy, by); }
function showAll() { d3.select(canvas).call(zooming.transform, d3.zoomIdentity); }

function nodeRadius(i) {
  const most = d3.max(map.nodes.mass) || 1;
  const scale = Math.min(9, 90 / Math.sqrt(map.nodes.mass.length));
  return (1.6 + scale * Math.sqrt(map.nodes.mass[i] / most)) * Math.pow(view.transform.k, 0.35);
}

function draw() {
  if (!pen) return;
  const ratio = window.devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, view.width, view.height);
  pen.fillStyle = css("--panel");
  pen.fillRect(0, 0, view.width, view.height);
  const at = level(), { place } = labels();
  const lit = (g) => state.chosen === null || (g >= 0 && at.numbers[g] === state.chosen);
  pen.strokeStyle = css("--soft");
  for (const [a, b, weight] of map.edges) {
    const [x1, y1] = screen(map.nodes.x[a], map.nodes.y[a]), [x2, y2] = screen(map.nodes.x[b], map.nodes.y[b]);
    pen.globalAlpha = (lit(at.group[a]) && lit(at.group[b]) ? 0.5 : 0.06) * (0.25 + 0.75 * Math.sqrt(weight));
    pen.lineWidth = 0.4 + 1.6 * weight;
    pen.beginPath(); pen.moveTo(x1, y1); pen.lineTo(x2, y2); pen.stroke();
  }
  const few = Math.max(1, Math.min(2.2, Math.sqrt(1500 / Math.max(spots.length, 1))));  // marks are larger where there is room
  const small = Math.min(4 * few, 1.5 * few * Math.pow(view.transform.k, 0.4)), mark = d3.symbol().context(pen);
  const stamp = (x, y, g, area, alpha, own) => {
    if (x < -20 || y < -20 || x > view.width + 20 || y > view.height + 20) return;
    const number = g < 0 ? -1 : at.numbers[g];
    pen.globalAlpha = alpha;
    pen.fillStyle = own === undefined ? colour(number) : own;
    pen.save(); pen.translate(x, y); pen.beginPath(); mark.type(shape(number)).size(area)(); pen.fill();
    if (area > 30) { pen.lineWidth = 0.8; pen.strokeStyle = css("--panel"); pen.stroke(); }
    pen.restore();
  };
  const by = colouring(), faint = by.of ? 0.16 : 1;
  const nodes = () => {
    for (let i = 0; i < map.nodes.x.length; ++i) {
      const [x, y] = screen(map.nodes.x[i], map.nodes.y[i]), r = nodeRadius(i);
      stamp(x, y, at.group[i], Math.PI * r * r, (lit(at.group[i]) ? 0.92 : 0.08) * faint);
    }
  };
  if (by.of) nodes();  // instances lie above, where their own colour counts
  for (let i = 0; i < spots.length; ++i) {
    const [x, y] = screen(...spots[i]);
    stamp(x, y, place[i], small * small * 3.2, (lit(place[i]) ? 0.42 : 0.05) * (by.of ? 2 : 1), by.of ? by.of(i) : undefined);
  }
  if (!by.of) nodes();
  pen.globalAlpha = 1;
  drawNames(at, lit);
  if (view.focus >= 0) {
    const [x, y] = screen(map.nodes.x[view.focus], map.nodes.y[view.focus]);
    pen.lineWidth = 2.5; pen.strokeStyle = css("--accent");
    pen.beginPath(); pen.arc(x, y, nodeRadius(view.focus) + 5, 0, 2 * Math.PI); pen.stroke();
  }
}

// The number of each cluster at its middle, the largest first; one that would cover another is left out.
function drawNames(at, lit) {
  const taken = [];
  pen.font = "600 15px system-ui, sans-serif";
  pen.textAlign = "center"; pen.textBaseline = "middle"; pen.lineJoin = "round";
  for (const g of bySize()) {
    if (!lit(g)) continue;
    let best = -1, x0 = 0, y0 = 0, mass = 0;
    at.group.forEach((other, i) => { if (other === g) { x0 += map.nodes.mass[i] * map.nodes.x[i]; y0 += map.nodes.mass[i] * map.nodes.y[i]; mass += map.nodes.mass[i]; } });
    if (!(mass > 0)) continue;
    x0 /= mass; y0 /= mass;
    // The prototype nearest to the middle: the middle of a bent cluster may be in another one.
    at.group.forEach((other, i) => {
      if (other !== g) return;
      const far = (i) => Math.hypot(map.nodes.x[i] - x0, map.nodes.y[i] - y0);
      if (best < 0 || far(i) < far(best)) best = i;
    });
    const [x, y] = screen(map.nodes.x[best], map.nodes.y[best]), text = String(at.numbers[g]), wide = pen.measureText(text).width / 2 + 4;
    if (x < 8 || y < 8 || x > view.width - 8 || y > view.height - 8) continue;
    if (taken.some(([a, b, w]) => Math.abs(a - x) < w + wide && Math.abs(b - y) < 19)) continue;
    taken.push([x, y, wide]);
    pen.lineWidth = 4.5; pen.strokeStyle = css("--panel"); pen.strokeText(text, x, y);
    pen.fillStyle = css("--fg"); pen.fillText(text, x, y);
  }
}

function clusterOf(found) {
  const g = found.node !== undefined ? level().group[found.node] : labels().place[found.point];
  return g < 0 ? null : level().numbers[g];
}
function describe(found) {
  if (found.node !== undefined) {
    const g = level().group[found.node];
    return ["Prototype of " + count(map.nodes.mass[found.node]) + " instances", clusterName(level().numbers[g])];
  }
  const i = found.point, g = labels().place[i];
  const lines = [pointName(i), (g < 0 ? "no cluster" : clusterName(level().numbers[g])) + (isOwn() ? ", confidence " + sureness(i) : ""),
    "views: " + viewsOf(points.pattern[i]), "distance " + value(points.distance[i]) + " (1 is usual, above 3 an outlier)"];
  if (points.class && points.class[i] !== null) lines.push("true class " + className(points.class[i]));
  return lines;
}
function under(event) {
  const box = canvas.getBoundingClientRect();
  const [x, y] = plane(event.clientX - box.left, event.clientY - box.top);
  return search.find(x, y, 12 / (base() * view.transform.k));
}
function hover(event) {
  const found = under(event);
  canvas.style.cursor = found ? "pointer" : "grab";
  if (found) showTip(describe(found), event.clientX, event.clientY); else hideTip();
}
function onKey(event) {
  const step = 40 / view.transform.k;
  const moves = { ArrowLeft: [step, 0], ArrowRight: [-step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] };
  if (moves[event.key]) d3.select(canvas).call(zooming.translateBy, ...moves[event.key]);
  else if (event.key === "+" || event.key === "=") zoomBy(1.4);
  else if (event.key === "-") zoomBy(1 / 1.4);
  else if (event.key === "0") showAll();
  else if (event.key === "n" || event.key === "p") {
    const order = d3.range(map.nodes.x.length).sort((a, b) => map.nodes.mass[b] - map.nodes.mass[a]);
    const where = order.indexOf(view.focus);
    view.focus = order[(where + (event.key === "n" ? 1 : order.length - 1) + (where < 0 && event.key === "p" ? 1 : 0)) % order.length];
    say(describe({ node: view.focus }).join(", "));
    draw();
  } else if (event.key === "Enter" && view.focus >= 0) choose(clusterOf({ node: view.focus }));
  else return;
  event.preventDefault();
}

function drawLegend() {
  const list = clear(byId("legend")), all = sizes(), most = d3.max(all) || 1;
  for (const i of bySize()) {
    const number = level().numbers[i];
    const bar = el("i");
    bar.style.width = 100 * all[i] / most + "%";
    bar.style.background = colour(number);
    list.append(el("li", {}, el("button", { type: "button", "aria-pressed": String(state.chosen === number), "data-cluster": number,
      onclick: () => choose(number) }, symbol(number, 16), el("span", {}, clusterName(number)), el("span", { class: "count" }, count(all[i])),
      el("span", { class: "size" }, bar))));
  }
}
