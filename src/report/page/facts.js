// The facts, what is shown of them, and who wants to know when that changes.
const facts = JSON.parse(document.getElementById("facts").textContent);
const summary = facts.summary;
const viewDetails = summary.view_details || [];
const map = facts.map || null;
const points = map ? map.points : null;
const ownLevel = facts.levels.findIndex((level) => level.own);

const state = { level: ownLevel, chosen: null };  // chosen: the number of a cluster, or null for all
const listeners = [];
function onChange(listener) { listeners.push(listener); }
function change(to) {
  Object.assign(state, to);
  if (state.chosen !== null && !level().numbers.includes(state.chosen)) state.chosen = null;
  for (const listener of listeners) listener();
}
function choose(number) { change({ chosen: state.chosen === number ? null : number }); }
function level() { return facts.levels[state.level]; }
function isOwn() { return state.level === ownLevel; }

const whole = d3.format(",");
const percent = d3.format(".0%");
const finePercent = d3.format(".1%");
const two = d3.format(".2f");
// A tick of an axis that counts: 800, 1.5k; nothing between two whole numbers.
function shortCount(n) { return Number.isInteger(n) ? d3.format("~s")(n) : ""; }
function count(n) { return n === null || n === undefined ? "–" : whole(Math.round(n)); }
// A value in the user's units: few digits, whatever its size.
function value(x) {
  if (x === null || x === undefined) return "–";
  const size = Math.abs(x);
  if (size >= 1e6 || (size > 0 && size < 1e-3)) return x.toExponential(2);
  return String(Number(x.toPrecision(size >= 1000 ? 4 : 3)));
}
function clusterName(number) { return number < 0 ? "an earlier cluster" : "Cluster " + number; }

// The cluster of every instance drawn, at the level shown: a place in level().numbers, and for the clusters found its
// confidence. Of another cut nobody knows what a vote means: there `share` is that of the prototypes, and only orders.
const placed = new Map();
function labels() {
  if (!points) return { place: [], share: [] };
  if (placed.has(state.level)) return placed.get(state.level);
  const at = level();
  const place = [], share = [];
  const where = new Map(at.numbers.map((number, i) => [number, i]));
  for (let i = 0; i < points.row.length; ++i) {
    if (isOwn()) {
      place.push(where.has(points.label[i]) ? where.get(points.label[i]) : -1);
      share.push(points.confidence[i]);
      continue;
    }
    const votes = new Map();
    points.near[i].forEach((node, j) => {
      const group = at.group[node];
      votes.set(group, (votes.get(group) || 0) + points.weight[i][j] / 4096);
    });
    let best = -1;
    for (const [group, vote] of votes) if (best < 0 || vote > votes.get(best)) best = group;
    place.push(best);
    share.push(best < 0 ? 0 : votes.get(best));
  }
  placed.set(state.level, { place, share });
  return placed.get(state.level);
}

// Sizes of the clusters shown: counted over all instances for those found, about for other cuts.
function sizes() {
  if (!isOwn() || !summary.cluster_numbers) return level().sizes;
  const known = new Map(summary.cluster_numbers.map((number, i) => [number, summary.cluster_sizes[i]]));
  return level().numbers.map((number, i) => known.has(number) ? known.get(number) : level().sizes[i]);
}

// Mean confidence of each cluster shown.
function confidences() {
  const members = summary.cluster_members || [];
  if (isOwn() && members.length > 0) {
    return level().numbers.map((number) => {
      const found = members[summary.cluster_numbers.indexOf(number)];
      return found ? found.confidence : null;
    });
  }
  if (!isOwn()) return level().numbers.map(() => null);
  const sums = level().numbers.map(() => [0, 0]);
  const { place, share } = labels();
  place.forEach((at, i) => { if (at >= 0 && share[i] !== null) { sums[at][0] += share[i]; sums[at][1] += 1; } });
  return sums.map(([sum, n]) => n > 0 ? sum / n : null);
}

function bySize() {
  const all = sizes();
  return level().numbers.map((number, i) => i).sort((a, b) => all[b] - all[a] || level().numbers[a] - level().numbers[b]);
}

// The name of a true class, or its number where it has none.
function className(number) {
  const names = facts.class_names || [];
  return names[number] !== undefined ? names[number] : String(number);
}

function instanceName(one) { return one.id !== undefined && one.id !== "" ? one.id : "row " + one.row; }
function pointName(i) { return points.id && points.id[i] !== "" ? points.id[i] : "row " + points.row[i]; }
function viewsOf(pattern) {
  const there = map.patterns[pattern];
  const present = viewDetails.filter((view, v) => there[v]).map((view) => view.name);
  if (present.length === there.length) return present.length === 1 ? present[0] : "all " + present.length + " views";
  return present.length > 6 ? present.length + " of " + there.length + " views" : present.join(", ");
}
