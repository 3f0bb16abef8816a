// Puts the page together, and lets the controls change it.
function drawHead() {
  byId("title").textContent = facts.title;
  const lead = clear(byId("lead")), clusters = facts.levels[ownLevel].numbers.length;
  const part = (n, what) => lead.append(el("b", {}, n), " " + what);
  part(count(summary.n), summary.n === 1 ? "instance in " : "instances in ");
  part(String(clusters), (clusters === 1 ? "cluster" : "clusters") + ", described by ");
  part(String(viewDetails.length), viewDetails.length === 1 ? "view" : "views");
  if (summary.confidence > 0) {
    lead.append("; mean confidence ", el("b", {}, two(summary.confidence)), ", ");
    part(count(summary.outliers), summary.outliers === 1 ? "outlier" : "outliers");
  }
  lead.append(".");
  if (facts.truth) lead.append(" Against the truth: NMI ", el("b", {}, d3.format(".3f")(facts.truth.nmi)), ".");
  if (!facts.whole) lead.append(" Sizes and shares are those of a sample of " + count(map.rows) + " instances that the model keeps.");
  const box = byId("warnings");
  for (const warning of summary.warnings || []) box.append(el("p", { class: "warning" }, warning));
}

function drawBar() {
  const slider = byId("k"), n = level().numbers.length;
  slider.max = facts.levels.length - 1;
  slider.value = state.level;
  slider.disabled = facts.levels.length < 2;
  slider.setAttribute("aria-valuetext", n + " clusters" + (isOwn() ? ", as found" : ""));
  byId("k-now").textContent = String(n);
  byId("k-less").disabled = state.level === 0;
  byId("k-more").disabled = state.level === facts.levels.length - 1;
  byId("k-own").disabled = isOwn();
  byId("clear").disabled = state.chosen === null;
  byId("chosen").textContent = [isOwn() ? "" : "another cut of the same model: sizes are approximate", state.chosen === null ? "" : clusterName(state.chosen) + " is chosen"].filter((text) => text).join("; ");
  document.documentElement.dataset.clusters = n;
  document.documentElement.dataset.chosen = state.chosen === null ? "" : state.chosen;
}

function refreshTables() {
  // A table that was opened shows another cut now.
  for (const details of Object.values(mapTables)) {
    while (details.childNodes.length > 1) details.removeChild(details.lastChild);
    if (details.open) details.fill();
  }
}
function drawAll() {
  drawBar();
  if (canvas) { draw(); drawLegend(); refreshTables(); }
  drawSpectrum(); drawTree(); drawCards(); drawHeat(); drawMissing(); drawTimeline();
}

const themes = ["automatic", "light", "dark"];
function nextTheme() {
  const now = document.documentElement.dataset.theme || "automatic";
  const next = themes[(themes.indexOf(now) + 1) % themes.length];
  if (next === "automatic") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = next;
  byId("theme").textContent = "Theme: " + next;
  drawAll(); drawQuality();
}

byId("k").addEventListener("input", (event) => change({ level: Number(event.target.value) }));
byId("k-less").addEventListener("click", () => change({ level: Math.max(0, state.level - 1) }));
byId("k-more").addEventListener("click", () => change({ level: Math.min(facts.levels.length - 1, state.level + 1) }));
byId("k-own").addEventListener("click", () => change({ level: ownLevel }));
byId("clear").addEventListener("click", () => change({ chosen: null }));
byId("theme").addEventListener("click", nextTheme);
document.addEventListener("keydown", (event) => { if (event.key === "Escape") { hideTip(); change({ chosen: null }); } });
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { drawAll(); drawQuality(); });
// On paper colours are those of light paper, and every card is there.
window.addEventListener("beforeprint", () => { cardsShown = Infinity; drawAll(); drawQuality(); });
window.addEventListener("afterprint", () => { cardsShown = cardStep; drawAll(); drawQuality(); });

drawHead();
makeMap();
onChange(drawAll);
drawAll();
drawQuality();
drawMade();
document.documentElement.dataset.ready = "yes";
