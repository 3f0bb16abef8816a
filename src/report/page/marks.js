// Building elements, colours and shapes of clusters, tables. Text is always set as text: nothing is ever parsed as HTML.
function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [name, to] of Object.entries(attributes || {})) {
    if (to === null || to === undefined || to === false) continue;
    if (name === "onclick") node.addEventListener("click", to);
    else node.setAttribute(name, to === true ? "" : to);
  }
  for (const child of children) if (child !== null && child !== undefined) node.append(child);
  return node;
}
function byId(id) { return document.getElementById(id); }
function clear(node) { while (node.firstChild) node.removeChild(node.firstChild); return node; }

// Colours that people with any kind of colour vision tell apart (after Okabe and Ito), and seven shapes: colour and
// shape together repeat after 56 clusters.
const lightColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5fb5", "#6f6f6f"];
const darkColours = ["#4aa3df", "#f0803c", "#22c39a", "#e39cc4", "#f3b73e", "#8fd0f5", "#a893e0", "#b0b0b0"];
const shapes = [d3.symbolCircle, d3.symbolSquare, d3.symbolTriangle, d3.symbolDiamond, d3.symbolCross, d3.symbolStar,
  d3.symbolWye];
function isDark() {
  const theme = document.documentElement.dataset.theme;
  if (theme) return theme === "dark";
  return window.matchMedia("(prefers-color-scheme: dark)").matches && !window.matchMedia("print").matches;
}
function colour(number) {
  const all = isDark() ? darkColours : lightColours;
  return number < 0 ? all[7] : all[number % all.length];
}
function shape(number) { return shapes[Math.abs(number) % shapes.length]; }
// What is written on a colour: dark or light, whichever stands out more.
function inkOn(fill) {
  const { r, g, b } = d3.rgb(fill);
  const part = (v) => Math.pow(v / 255, 2.2);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b) > 0.22 ? "#10141a" : "#ffffff";
}
function css(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

function svg(width, height, label) {
  const node = d3.create("svg").attr("viewBox", [0, 0, width, height]).attr("width", width).attr("height", height)
    .attr("role", "img").attr("aria-label", label);
  return node;
}
function symbol(number, size) {
  const node = d3.create("svg").attr("width", size).attr("height", size).attr("viewBox", [-size / 2, -size / 2, size, size])
    .attr("aria-hidden", "true").attr("focusable", "false");
  node.append("path").attr("d", d3.symbol().type(shape(number)).size(size * size * 0.32)()).attr("fill", colour(number));
  return node.node();
}
function chart(caption, drawing, ...rest) {
  return el("figure", { class: "scroll" }, caption ? el("figcaption", {}, caption) : null, drawing, ...rest);
}
function axis(g, scale, side, ticks, format) {
  const make = side === "left" ? d3.axisLeft(scale) : d3.axisBottom(scale);
  make.ticks(ticks).tickSizeOuter(0);
  if (format) make.tickFormat(format);
  return g.attr("class", "axis").call(make);
}

// A table that opens below a chart; its rows are made when it is opened first, since some have thousands.
function tableOf(title, head, rows) {
  const details = el("details", {}, el("summary", {}, "Table: " + title));
  const fill = () => {
    if (details.childNodes.length > 1) return;
    const text = head.map((name, column) => rows().slice(0, 20).some((row) => typeof row[column] === "string" && !/^[-+0-9.,%–]/.test(row[column])));
    const table = el("table", {}, el("caption", {}, title),
      el("thead", {}, el("tr", {}, ...head.map((name, i) => el("th", { scope: "col", class: text[i] ? "text" : null }, name)))));
    const body = el("tbody");
    for (const row of rows()) {
      body.append(el("tr", {}, ...row.map((cell, i) => i === 0 ? el("th", { scope: "row" }, String(cell)) :
        el("td", { class: text[i] ? "text" : null }, String(cell)))));
    }
    table.append(body);
    details.append(el("div", { class: "table", tabindex: "0", role: "region", "aria-label": title }, table));
  };
  details.addEventListener("toggle", fill);
  details.fill = fill;
  return details;
}

function say(text) { byId("heard").textContent = text; }
function showTip(lines, x, y) {
  const tip = clear(byId("tip"));
  lines.forEach((line, i) => tip.append(el(i === 0 ? "strong" : "div", {}, line)));
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.min(x + 14, window.innerWidth - box.width - 8) + "px";
  tip.style.top = (y + box.height + 24 > window.innerHeight ? y - box.height - 10 : y + 14) + "px";
}
function hideTip() { byId("tip").hidden = true; }
// Shows lines while the pointer is over a node of a chart.
function tipOn(selection, lines) {
  selection.each(function (d) {
    this.addEventListener("pointermove", (event) => showTip(lines(d), event.clientX, event.clientY));
    this.addEventListener("pointerleave", hideTip);
  });
}
