// Two to four models, study by study, from static files.
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
  return (t ^ (t >>> 14)) >>> 0;
};
// Paired figures of one pair on all metrics together: [difference, low, high, p, wins, ties, losses, effect].
const paired = (a, b, n, metrics, clusters) => {
  const width = metrics.length;
  const units = clusters ? Math.max(...clusters) + 1 : n;
  const sums = new Float64Array(units * (width + 1));
  const total = new Float64Array(width);
  const facts = metrics.map(([, , sign], m) => {
    let [wins, losses, square] = [0, 0, 0];
    for (let i = 0; i < n; i++) {
      const d = a[m * n + i] - b[m * n + i];
      const at = (clusters ? clusters[i] : i) * (width + 1);
      sums[at + m] += d;
      if (!m) sums[at + width]++;
      total[m] += d;
      square += d * d;
      if (d * sign > 0) wins++;
      else if (d) losses++;
    }
    const spread = Math.sqrt((square - total[m] ** 2 / n) / (n - 1));
    return [wins, n - wins - losses, losses, spread ? (sign * total[m]) / n / spread : null];
  });
  const rounds = 2000;
  const next = random(20260101);
  const means = metrics.map(() => new Float64Array(rounds));
  const beaten = new Float64Array(width);
  const drawn = new Float64Array(width + 1);
  const swapped = new Float64Array(width);
  for (let r = 0; r < rounds; r++) {
    drawn.fill(0);
    swapped.fill(0);
    let bits = 0;
    for (let u = 0; u < units; u++) {
      const at = Math.floor((next() / 2 ** 32) * units) * (width + 1);
      for (let m = 0; m <= width; m++) drawn[m] += sums[at + m];
      bits = u % 32 ? bits >>> 1 : next();
      const own = u * (width + 1);
      for (let m = 0; m < width; m++) swapped[m] += bits & 1 ? sums[own + m] : -sums[own + m];
    }
    for (let m = 0; m < width; m++) {
      means[m][r] = drawn[m] / drawn[width];
      beaten[m] += Math.abs(swapped[m]) >= Math.abs(total[m]) * (1 - 1e-9);
    }
  }
  return metrics.map((_, m) => {
    means[m].sort();
    return [total[m] / n, means[m][rounds * 0.025], means[m][rounds * 0.975 - 1], (beaten[m] + 1) / (rounds + 1), ...facts[m]];
  });
};
const holm = (found) => {
  let floor = 0;
  const order = found.map((_, i) => i).sort((i, j) => found[i][3] - found[j][3]);
  order.forEach((i, k) => (found[i][8] = floor = Math.max(floor, Math.min(1, (order.length - k) * found[i][3]))));
};
const plots = (a, b, start, n, names) => {
  const x = (v, low, high) => (8 + (284 * (v - low)) / (high - low || 1)).toFixed(1);
  const own = a.subarray(start, start + n);
  const other = b.subarray(start, start + n);
  const gaps = own.map((v, i) => v - other[i]);
  const [low, high] = [Math.min(...own, ...other), Math.max(...own, ...other)];
  const most = Math.max(...gaps.map(Math.abs)) || 1;
  const bins = Array(31).fill(0);
  for (const gap of gaps) bins[Math.round((15 * gap) / most) + 15]++;
  const dots = [...own].map((v, i) => `M${x(other[i], low, high)} ${300 - x(v, low, high)}h0`).join("");
  const bars = bins.map((count, i) => `M${14 + 9 * i} 292v${(-280 * count) / Math.max(...bins)}`).join("");
  const draw = (title, inside, below) =>
    `<figure><svg viewBox="0 0 300 300" width="300" height="300" role="img" aria-label="${title}" class="rx-plot rx-frame">${inside}</svg><figcaption>${below}</figcaption></figure>`;
  const box = make("div", "", { className: "rx-ways" });
  box.innerHTML = draw("One point per study", `<path d="M8 292 292 8" class="rx-grid"/><path d="${dots}" class="rx-dots"/>`, "") + draw("Histogram of differences", `<path d="M149 8V292" class="rx-grid"/><path d="${bars}" class="rx-bars"/>`, "");
  const captions = all("figcaption", box);
  captions[0].textContent = `each study: ${names[0]} upwards, ${names[1]} to the right, ${low.toFixed(2)} to ${high.toFixed(2)}`;
  captions[1].textContent = `difference per study, ${(-most).toFixed(2)} to ${most.toFixed(2)}`;
  return box;
};
parts.push(async () => {
  const place = one(".rx-compared");
  const board = query().get("board");
  if (!place || !board || place.dataset.on) return;
  place.dataset.on = 1;
  const home = `../boards/${board}/`;
  const { title, order, n, labels, metrics, clusters, models, pairs } = await (await fetch(home + "studies.json")).json();
  const chosen = (query().get("models") || "").split(",").filter((id) => id in labels && (!models || models.includes(id))).slice(0, 4);
  const values = {};
  if (models) for (const id of chosen) values[id] = new Float32Array(await (await fetch(`${home}studies/${encodeURIComponent(id)}.f32`)).arrayBuffer());
  place.append(make("h2", `${title}, ${n} studies`), make("button", "Copy the link to this comparison", { onclick: () => copy(location.href, "Link") }));
  if (chosen.length < 2) place.append(make("p", "Fewer than two of the chosen models can be compared here."));
  const [a, ...others] = chosen;
  for (const b of others) {
    const known = (metric) => {
      const flip = (row) => [row[4] - row[3], row[6] === null ? null : -row[6], row[5] === null ? null : -row[5], row[7], row[10], row[9], row[8], row[11] === null ? null : -row[11]];
      const row = pairs.find((row) => row[2] == metric[0] && [row[0], row[1]].sort().join() == [a, b].sort().join());
      return row && (row[0] == a ? [row[3] - row[4], ...row.slice(5)] : flip(row));
    };
    const shown = models ? metrics : metrics.filter(known);
    const found = models ? paired(values[a], values[b], n, metrics, clusters) : shown.map(known);
    holm(found);
    const names = [labels[a], labels[b]];
    const said = [[], [], []];
    const rows = shown.map(([id, name, sign, digits], m) => {
      const [gap, low, high, , wins, ties, losses, effect, p] = found[m];
      const ends = low === null ? "" : `${low.toFixed(digits)} to ${high.toFixed(digits)}`;
      const verdict = p > 0.05 || !gap ? 2 : gap * sign > 0 ? 0 : 1;
      said[verdict].push(verdict > 1 ? name : `${name} by ${Math.abs(gap).toFixed(digits)} (${ends})`);
      return [name + (sign > 0 ? " ↑" : " ↓"), gap.toFixed(digits), ends, p < 0.001 ? "< 0.001" : p.toFixed(3), wins === null ? "" : `${wins} / ${ties} / ${losses}`, effect === null ? "" : effect.toFixed(2), ["better", "worse", "not separable"][verdict]];
    });
    const sentence = [said[0].length && `${names[0]} is better than ${names[1]} on ${said[0].join(", ")}`, said[1].length && `${names[1]} is better than ${names[0]} on ${said[1].join(", ")}`, said[2].length && `${said[0].length + said[1].length ? "" : names.join(" and ") + " are "}not separable on ${said[2].join(", ")}`];
    place.append(make("p", sentence.filter(Boolean).join("; ") + ".", { className: "rx-lede" }));
    const main = Math.max(0, shown.findIndex(([id]) => id == order));
    if (models) place.append(plots(values[a], values[b], main * n, n, names));
    const table = make("table", "", { className: "rx-table" });
    const line = (cells, tag) => {
      const row = make("tr", "");
      row.append(...cells.map((text) => make(tag, text)));
      return row;
    };
    table.createCaption().textContent = `${names[0]} minus ${names[1]}`;
    table.createTHead().append(line(["Metric", "Difference", "95 % interval", "p (Holm)", "Wins / ties / losses", "Effect", ""], "th"));
    table.createTBody().append(...rows.map((cells) => line(cells, "td")));
    const scroll = make("div", "", { className: "rx-scroll", tabIndex: 0, role: "region", ariaLabel: table.caption.textContent });
    scroll.append(table);
    place.append(scroll);
  }
});
