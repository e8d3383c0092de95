// Two to four models, study by study, from static files: the first against each of the others. The compare page
// loads this script by itself, so that no other page carries it.
const one = (selector) => document.querySelector(selector);
const load = async (address, kind = "json") => {
  const answer = await fetch(address);
  if (!answer.ok) throw answer.status;
  return answer[kind]();
};
// A paragraph of plain text, whatever the address put into it.
const note = (textContent) => Object.assign(document.createElement("p"), { textContent }).outerHTML;
const rounds = 2000;
const add = (a, b) => a + b;
// For each metric: difference, its interval over resamples, p over random swaps as (count + 1) / (n + 1), then what
// single studies say: wins, ties, losses, effect. All metrics share one pass, which is what makes it quick.
const paired = (gaps, metrics, of, sizes, picks) => {
  const n = of.length;
  const wide = gaps.length;
  const units = sizes.length;
  const sums = new Float64Array(units * wide);
  gaps.forEach((own, m) => own.forEach((gap, i) => (sums[of[i] * wide + m] += gap)));
  const totals = gaps.map((own) => own.reduce(add));
  const means = gaps.map(() => new Float64Array(rounds));
  const beaten = gaps.map(() => 1);
  for (let r = 0; r < rounds; r++) {
    const drawn = new Float64Array(wide);
    const swapped = new Float64Array(wide);
    let size = 0;
    for (let u = 0; u < units; u++) {
      const pick = picks[r * units + u];
      const at = pick % units;
      const way = 1 - ((pick >>> 30) & 2);
      size += sizes[at];
      for (let m = 0; m < wide; m++) {
        drawn[m] += sums[at * wide + m];
        swapped[m] += way * sums[u * wide + m];
      }
    }
    for (let m = 0; m < wide; m++) {
      means[m][r] = drawn[m] / size;
      beaten[m] += Math.abs(swapped[m]) >= Math.abs(totals[m]) - 1e-9;
    }
  }
  return gaps.map((own, m) => {
    const mean = totals[m] / n;
    const spread = Math.sqrt(own.map((gap) => (gap - mean) ** 2).reduce(add) / (n - 1));
    const sign = metrics[m][2];
    const count = (way) => own.filter((gap) => Math.sign(gap) == way).length;
    means[m].sort();
    return [mean, means[m][49], means[m][1949], beaten[m] / (rounds + 1), count(sign), count(0), count(-sign), spread ? (sign * mean) / spread : null];
  });
};
const picture = (kind, path, said) => `<figure><svg viewBox="-5 -5 310 310" role="img" aria-label="${said}" class="rx-${kind}"><path d="${path}"/></svg><figcaption>${said}</figcaption></figure>`;
// How often each of two models differs from the reference in a label, and both do. A bit of a number is a label.
const missed = (own, other, labels) => {
  const count = [0, 0, 0];
  own.forEach((bits, i) => {
    for (let l = 0; l < labels; l++) [bits, other[i], bits & other[i]].forEach((x, k) => (count[k] += (x >> l) & 1));
  });
  return count;
};
const compare = async (board, asked, place) => {
  const home = `../boards/${board}/studies`;
  const { title, order, n, labels, metrics, of, sizes, models, pairs, bits } = await load(home + ".json");
  const known = asked.filter((id) => models.includes(id));
  const ids = known.slice(0, 4);
  const values = await Promise.all(ids.map(async (id) => pairs || new Float32Array(await load(`${home}/${id}.f32`, "arrayBuffer"))));
  if (!pairs && values.some(({ length }) => length != n * (metrics.length + !!bits))) throw "cut";
  let seed = 20260101;
  const picks = new Uint32Array(pairs ? 0 : rounds * sizes.length).map(() => ((seed ^= seed << 13), (seed ^= seed >>> 17), (seed ^= seed << 5)));
  let page = `<h2>${title}, ${n} studies</h2>`;
  const unknown = asked.filter((id) => !models.includes(id));
  if (unknown[0]) page += note(`Not on this board, or without a number for every study: ${unknown.join(", ")}.`);
  if (known[4]) page += note(`Four at most are compared; left out: ${known.slice(4).join(", ")}.`);
  if (!ids[1]) page += note("Two models are needed: tick two to four rows of the board and follow “Compare”.");
  for (let b = 1; ids[b] && b < 4; b++) {
    const [name, other] = [labels[ids[0]], labels[ids[b]]];
    let drawn = "";
    const gaps = pairs ? [] : metrics.map(([id, title], m) => {
      const [x, y] = [values[b], values[0]].map((all) => [...all.subarray(m * n, m * n + n)]);
      const own = y.map((v, i) => v - x[i]);
      if (id == order || !m) {
        const low = Math.min(...x, ...y);
        const wide = Math.max(...x, ...y) - low || 1;
        const most = Math.max(...own.map(Math.abs)) || 1;
        const bins = Array(31).fill(0);
        for (const gap of own) bins[Math.round((15 * gap) / most) + 15]++;
        const at = (v) => Math.round((300 * (v - low)) / wide);
        drawn =
          picture("dots", x.map((v, i) => `M${at(v)} ${300 - at(y[i])}h0`).join(""), `${title} of each study: ${name} upwards, ${other} to the right, ${low.toFixed(2)} to ${(low + wide).toFixed(2)}`) +
          picture("bars", bins.map((count, i) => `M${10 * i} 300v${(-300 * count) / Math.max(...bins)}`).join(""), `Studies by difference in ${title}, ${(-most).toFixed(2)} to ${most.toFixed(2)}`);
      }
      return own;
    });
    const found = pairs ? pairs[ids[0]][ids[b]] : paired(gaps, metrics, of, sizes, picks);
    // Holm over the metrics shown.
    const ranked = [...metrics.keys()].filter((m) => found[m]).sort((i, j) => found[i][3] - found[j][3]);
    const said = [[], [], []];
    const rows = [];
    let floor = 0;
    ranked.forEach((m, k) => {
      const [gap, low, high, p, wins, ties, losses, effect] = found[m];
      const [, title, sign, digits] = metrics[m];
      floor = Math.max(floor, Math.min(1, (ranked.length - k) * p));
      const verdict = floor > 0.05 || !gap ? 2 : gap * sign > 0 ? 0 : 1;
      const between = (...ends) => (low == null ? "" : ends.map((end) => end.toFixed(digits)).join(" to "));
      const ends = between(low, high);
      // A sentence names the better one first: its interval is that of the gap's size.
      const size = gap < 0 ? between(-high, -low) : ends;
      said[verdict].push(title + (verdict > 1 ? "" : ` by ${Math.abs(gap).toFixed(digits)}${size && ` (${size})`}`));
      rows[m] = `<tr><th scope="row">${[title + " " + "↓ ↑"[sign + 1], gap.toFixed(digits), ends, floor.toFixed(3), wins == null ? "" : `${wins} / ${ties} / ${losses}`, effect?.toFixed(2) ?? "", ["better", "worse", "not separable"][verdict]].join("<td>")}`;
    });
    const sentence = said.flatMap((list, i) => (list[0] ? [`${[`${name} is better than ${other}`, `${other} is better than ${name}`, `${name} and ${other} are not separable`][i]} on ${list.join(", ")}`] : []));
    const both = `${name} minus ${other}`;
    const [mine, theirs, shared] = bits ? missed(...[0, b].map((k) => values[k].subarray(-n)), bits) : [];
    const labelled = bits ? `<p>CheXbert gives each report ${bits} labels, ${n * bits} in all: ${name} differs from the reference in ${mine}, ${other} in ${theirs}, both in ${shared}.</p>` : "";
    page += `<h3>${name} and ${other}</h3><p>${sentence.join("; ")}.</p><div class="rx-ways">${drawn}</div><div class="rx-scroll" tabindex="0" role="region" aria-label="${both}"><table class="rx-table"><caption class="rx-vh">${both}</caption><thead>${one("template").innerHTML}<tbody>${rows.join("")}</table></div>${labelled}`;
  }
  place.innerHTML = page;
};
const begin = (place) => {
  const query = new URLSearchParams(location.search);
  const [board, models] = ["board", "models"].map((name) => query.get(name) || "");
  if (!board && !models) return;
  const asked = [...new Set(models.split(",").map((id) => id.trim()))].filter(Boolean);
  compare(board, asked, place).catch((why) => {
    place.innerHTML = note(why == 404 ? "There is no such board, or its numbers have left it. Choose a board below." : "The numbers could not be loaded. Load the page again.");
  });
};
begin(one(".rx-compared"));
