// Means of the features that tell the clusters found, a row each, a column for each cluster: how many deviations of the
// feature a cluster lies above or below the mean of all.
function drawHeat() {
  const heat = facts.heat;
  byId("heat").hidden = !heat || heat.features.length === 0 || !isOwn();
  if (byId("heat").hidden) return;
  byId("heat-hint").textContent = "Mean of each feature in each cluster, as deviations from the mean of all instances; the table has the means in your own units.";
  const body = clear(byId("heat-body")), order = bySize(), left = 190, top = 34, cell = Math.max(14, Math.min(46, 700 / Math.max(order.length, 1))), tall = 18;
  const drawing = svg(left + order.length * cell + 8, top + heat.features.length * tall + 8, "Features by clusters");
  const shade = d3.scaleDiverging(d3.interpolateRdBu).domain([2, 0, -2]).clamp(true);
  order.forEach((i, c) => drawing.append("text").attr("x", left + (c + 0.5) * cell).attr("y", top - 8).attr("text-anchor", "middle").text(level().numbers[i]));
  heat.features.forEach((at, r) => {
    const feature = facts.features[at], name = feature.name.length > 26 ? feature.name.slice(0, 25) + "…" : feature.name;
    const label = drawing.append("text").attr("x", left - 8).attr("y", top + (r + 0.5) * tall).attr("dy", ".35em").attr("text-anchor", "end").text(name);
    tipOn(label, () => [feature.name, (viewDetails[feature.view] || {}).name || ""]);
    order.forEach((i, c) => {
      const mean = heat.means[r][i], far = mean === null || !(heat.deviation[r] > 0) ? null : (mean - heat.mean[r]) / heat.deviation[r];
      const box = drawing.append("rect").attr("x", left + c * cell).attr("y", top + r * tall).attr("width", cell - 1).attr("height", tall - 1).attr("fill", far === null ? css("--track") : shade(far));
      tipOn(box, () => [feature.name + ", " + clusterName(level().numbers[i]), "mean " + value(mean) + ", of all " + value(heat.mean[r]), far === null ? "" : two(far) + " deviations"]);
    });
  });
  body.append(chart("", drawing.node()), tableOf("means of features in clusters", ["feature", "view", "all"].concat(order.map((i) => clusterName(level().numbers[i]))), () =>
    heat.features.map((at, r) => [facts.features[at].name, (viewDetails[facts.features[at].view] || {}).name, value(heat.mean[r])].concat(order.map((i) => value(heat.means[r][i]))))));
}
