// What exactly is this number, how sure, compared to what: a note on hover, focus and tap.
let note;
const median = (values) => {
  const sorted = values.sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
};

const explain = (cell, stay) => {
  const table = cell.closest("table");
  const row = cell.parentNode;
  const head = [...table.tHead.rows].pop().cells[cell.cellIndex];
  const others = [...table.tBodies[0].rows].filter((other) => other.cells[cell.cellIndex].dataset.v);
  const value = (other) => +other.cells[cell.cellIndex].dataset.v;
  const models = others.filter((other) => !other.matches(".rx-probe"));
  const text = cell.firstChild.textContent;
  const digits = (text.split(".")[1] || "").length;
  const label = $("button", head).firstChild.textContent;
  const name = $("th", row).firstElementChild?.textContent || $("th", row).textContent;
  const lines = [];
  const interval = $("small", cell);
  if (table.matches(".rx-as-reported")) {
    const section = cell.closest("section");
    lines.push(["as reported", $("p a", section).textContent], ["line", cell.dataset.l + " of its scores.csv"]);
    if (interval) lines.push(["change", interval.textContent]);
    lines.push(["interval", "none: per-study scores are not public"]);
  } else {
    const [rank, low, high] = (cell.dataset.r || "").split(",");
    lines.push(["95 % interval", interval ? interval.textContent : "none: per-study scores are not public"]);
    if (rank) lines.push(["rank", low ? `${rank} (${low}–${high})` : rank]);
    lines.push(["studies", row.dataset.n + (row.dataset.e ? `, ${row.dataset.e} empty` : ", none empty")]);
    const constant = others.find((other) => other.dataset.id == "probe-constant-normal");
    if (constant) lines.push(["constant-normal", value(constant).toFixed(digits)]);
    if (cell.title) lines.push(["note", cell.title]);
  }
  if (models.length > 1) {
    const numbers = models.map(value);
    const best = Math[head.dataset.b == "lower" ? "min" : "max"](...numbers);
    lines.push(["best", best.toFixed(digits)], ["median", median(numbers).toFixed(digits)]);
  }
  if (!note || !note.isConnected) {
    note = make("div", "", { className: "rx-pop md-typeset", id: "rx-pop", popover: "manual" });
    note.tabIndex = -1;
    document.body.append(note);
    on(note, "keydown", (event) => event.key == "Escape" && hush(true));
  }
  const list = make("dl", "");
  for (const [key, words] of lines) list.append(make("dt", key), make("dd", words));
  note.replaceChildren(make("strong", `${name}: ${label} ${text}`), list);
  if (head.dataset.s) {
    const clip = make("button", head.dataset.s, { className: "rx-sig", type: "button", title: "Copy the signature" });
    clip.dataset.clip = head.dataset.s;
    note.append(clip);
    const about = make("a", "About " + label, { href: $("a", head).href });
    const cite = make("a", "Cite this number", { href: $("th a", row).href + "#cite" });
    note.append(make("p", ""));
    note.lastChild.append(about, " · ", cite);
  }
  note.dataset.stay = stay ? 1 : "";
  note.cell = cell;
  if (!note.matches(":popover-open")) note.showPopover();
  const place = cell.getBoundingClientRect();
  const size = note.getBoundingClientRect();
  note.style.left = Math.max(4, Math.min(place.left, innerWidth - size.width - 4)) + "px";
  note.style.top = (place.bottom + size.height + 8 < innerHeight ? place.bottom + 4 : Math.max(4, place.top - size.height - 4)) + "px";
  if (stay) note.focus();
};

const hush = (back) => {
  if (!note || !note.matches(":popover-open")) return;
  note.hidePopover();
  if (back) note.cell.focus();
};

const cellOf = (event) => event.target.closest?.("td[data-v]");
on(document, "click", (event) => {
  if (note?.contains(event.target)) return;
  const cell = cellOf(event);
  cell && cell.closest(".rx-board,.rx-reported") ? explain(cell, true) : hush();
});
on(document, "mouseover", (event) => {
  if (note?.dataset.stay && note.matches(":popover-open")) return;
  const cell = cellOf(event);
  cell && cell.closest(".rx-board,.rx-reported") ? explain(cell) : note?.contains(event.target) || hush();
});
on(document, "keydown", (event) => {
  const cell = cellOf(event);
  if (!cell) return;
  const row = cell.parentNode;
  const next = {
    ArrowRight: () => cell.nextElementSibling,
    ArrowLeft: () => cell.previousElementSibling,
    ArrowDown: () => row.nextElementSibling?.cells[cell.cellIndex],
    ArrowUp: () => row.previousElementSibling?.cells[cell.cellIndex],
  }[event.key]?.();
  if (event.key == "Enter") explain(cell, true);
  else if (event.key == "Escape") hush(true);
  else if (next?.dataset.v) {
    cell.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    explain(next);
  } else return;
  event.preventDefault();
});
on(document, "focusin", (event) => cellOf(event) && !note?.dataset.stay && explain(event.target));
parts.push((root) => {
  hush();
  for (const body of $$(".rx-board tbody,.rx-reported tbody", root)) {
    const cell = $("td[data-v]", body);
    if (cell) cell.tabIndex = 0;
  }
});
