// What it takes to make the page again.
function bytes(n) { return n >= 1e9 ? d3.format(".3~s")(n).replace("G", " G") + "B" : n >= 1000 ? d3.format(".3~s")(n).replace(/([kM])$/, " $1") + "B" : n + " B"; }
function pairs(title, list) {
  return el("table", {}, el("caption", {}, title), el("tbody", {}, ...list.map(([name, to]) => el("tr", {}, el("th", { scope: "row" }, name), el("td", { class: "text" }, String(to))))));
}
function drawMade() {
  const body = clear(byId("made-body")), made = facts.made;
  if (made.command) body.append(el("pre", { tabindex: "0", "aria-label": "The command" }, made.command));
  const list = [["program", made.program + " " + made.version], ["instances", count(summary.n)]];
  if (summary.unobserved > 0) list.push(["of them without any view", count(summary.unobserved)]);
  if (summary.seconds > 0) list.push(["seconds", d3.format(".2f")(summary.seconds)]);
  if (summary.found_by) list.push(["clusters found by", summary.found_by]);
  list.push(["prototypes", count(summary.prototypes)], ["rank", count(summary.rank)]);
  if (made.fingerprint) list.push(["fingerprint of the data", made.fingerprint]);
  const files = made.files.map((file) => [file.name, file.bytes > 0 ? bytes(file.bytes) : "read as a stream"]);
  const panels = el("div", { class: "panels" }, el("div", {}, pairs("The run", list)));
  if (files.length > 0) panels.append(el("div", {}, pairs("Files", files)));
  panels.append(el("div", {}, pairs("Options", Object.entries(made.options).map(([name, to]) => [name, to === "" ? "–" : to]))));
  if (summary.profile) {
    panels.append(el("div", {}, pairs("Where the time went, seconds", Object.entries(summary.profile).filter(([name, s]) => s >= 0.001).sort((a, b) => b[1] - a[1]).map(([name, s]) => [name.replace(/_/g, " "), d3.format(".3f")(s)]))));
  }
  body.append(panels);
}
