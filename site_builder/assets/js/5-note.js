// What exactly is this number, how sure, compared to what: a note on hover, focus and tap.
let note;
let noted;
const explain = (cell, stays) => {
  const row = cell.parentNode;
  const head = heads(cell.closest("table"))[cell.cellIndex];
  const name = one("th a", row) || one("th", row);
  const small = words(one("small", cell));
  const { l, r } = cell.dataset;
  const { s, m } = head.dataset;
  const { n, e } = row.dataset;
  const lines = {
    "95 % interval": (!l && small) || "none: per-study scores are not public",
    rank: r?.replace(/,(\d+),\1\b.*/, " ($1)").replace(/,(\d+),(\d+).*/, " ($1–$2)"),
    studies: n && `${n}, ${e || "none"} empty`,
    change: l && small,
    source: l && `line ${l} of the edition's scores.csv`,
    // Best, median and the probe constant-normal of the column.
    compared: m,
    remark: cell.title || one("abbr", cell)?.title,
  };
  if (!note?.isConnected) document.body.append((note = make("div", "", { className: "rx-pop md-typeset", popover: "manual", tabIndex: -1 })));
  note.replaceChildren(make("strong", `${words(name)}: ${label(head)} ${first(cell)}`), make("dl", ""));
  for (const key in lines) if (lines[key]) note.lastChild.append(make("dt", key), make("dd", lines[key]));
  if (s) {
    note.append(make("button", s, { className: "rx-sig", onclick: () => copy(s, "Signature") }), make("br", ""), make("a", "About the metric", { href: one("a", head).href }), " · ", make("a", "Cite this number", { href: name.href + "#cite" }));
  }
  note.dataset.stays = stays || "";
  noted = cell;
  note.showPopover();
  const at = cell.getBoundingClientRect();
  note.style.left = Math.max(4, Math.min(at.left, innerWidth - note.offsetWidth - 4)) + "px";
  note.style.top = Math.max(4, at.bottom + note.offsetHeight < innerHeight ? at.bottom : at.top - note.offsetHeight) + "px";
  if (stays) note.focus();
};
const hush = () => {
  if (!note) return;
  if (note.isConnected) note.hidePopover();
  note.dataset.stays = "";
};
const cellOf = ({ target }) => {
  const cell = target.closest?.("[data-show] td,.rx-as-reported td");
  return cell?.cellIndex > 1 ? cell : null;
};
const says = (cell) => cell && /\d/.test(first(cell));
const point = (event, stays) => {
  const found = cellOf(event);
  const cell = says(found) && found;
  if (note?.contains(event.target) || (note?.dataset.stays && !stays)) return;
  cell ? explain(cell, stays) : hush();
};
// A cell takes the focus only once it has said that it can.
const land = (cell) => {
  cell.tabIndex = cell.tabIndex;
  cell.focus();
};
on(document, "mouseover", point);
on(document, "focusin", point);
on(document, "click", (event) => {
  const { target } = event;
  const clip = target.closest("[data-clip]");
  if (clip) copy(clip.dataset.clip || location.href, clip.dataset.said);
  if (target.isConnected) point(event, 1);
});
on(document, "keydown", (event) => {
  const { key, target } = event;
  if (key == "Escape") hush(note?.contains(target) && land(noted));
  const cell = cellOf(event);
  if (!cell) return;
  const [across, along] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] }[key] || [0, 0];
  const { rows } = cell.closest("table");
  let next = cell;
  if (across || along) {
    do next = along ? rows[next.parentNode.rowIndex + along]?.cells[cell.cellIndex] : across > 0 ? next.nextElementSibling : next.previousElementSibling;
    while (next && !next.offsetWidth);
  }
  if (key == "Enter") says(cell) && explain(cell, 1);
  else if (next?.localName == "td" && next != cell) land(next, ([cell.tabIndex, next.tabIndex] = [-1, 0]));
  else return;
  event.preventDefault();
});
parts.push(hush);
