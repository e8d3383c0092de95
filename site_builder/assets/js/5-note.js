// What exactly is this number, how sure, compared to what: a note on hover, focus and tap.
let note;
let noted;
const explain = (cell, stays) => {
  const table = cell.closest("table");
  const row = cell.parentNode;
  const head = heads(table)[cell.cellIndex];
  const name = one("th a", row) || one("th", row);
  const text = first(cell);
  const others = [...table.tBodies[0].rows].filter((other) => other.cells[cell.cellIndex].dataset.v);
  const shown = (other) => first(other.cells[cell.cellIndex]);
  const models = ordered(others.filter((other) => !other.matches(".rx-probe")), cell.cellIndex, head.dataset.b == "higher");
  const small = words(one("small", cell));
  const [rank, low, high] = (cell.dataset.r || "").split(",");
  const { n, e } = row.dataset;
  const constant = others.find((other) => other.dataset.id == "probe-constant-normal");
  const none = "none: per-study scores are not public";
  const lines = [
    ["95 % interval", cell.dataset.l ? none : small || none],
    ["rank", rank && (low ? `${rank} (${low}–${high})` : rank)],
    ["studies", n && `${n}, ${e || "none"} empty`],
    ["change", cell.dataset.l && small],
    ["read at", cell.dataset.l && `line ${cell.dataset.l} of the edition's scores.csv`],
    ["best", models[0] && shown(models[0])],
    ["median", models[0] && shown(models[models.length >> 1])],
    ["constant-normal", constant && shown(constant)],
    ["remark", cell.title],
  ];
  if (!note?.isConnected) document.body.append((note = make("div", "", { className: "rx-pop md-typeset", popover: "manual", tabIndex: -1 })));
  note.replaceChildren(make("strong", `${words(name)}: ${label(head)} ${text}`), make("dl", ""));
  for (const [key, what] of lines) if (what) note.lastChild.append(make("dt", key), make("dd", what));
  if (head.dataset.s) {
    note.append(make("button", head.dataset.s, { className: "rx-sig", title: "Copy the signature" }), make("p", ""));
    note.lastChild.append(make("a", "About " + label(head), { href: one("a", head).href }), " · ", make("a", "Cite this number", { href: name.href + "#cite" }));
  }
  note.dataset.stays = stays ? 1 : "";
  noted = cell;
  note.showPopover();
  const at = cell.getBoundingClientRect();
  note.style.left = Math.max(4, Math.min(at.left, innerWidth - note.offsetWidth - 4)) + "px";
  note.style.top = (at.bottom + note.offsetHeight < innerHeight ? at.bottom : Math.max(4, at.top - note.offsetHeight)) + "px";
  if (stays) note.focus();
};
const hush = (back) => {
  if (note?.isConnected) note.hidePopover();
  if (note) note.dataset.stays = "";
  if (back) noted.focus();
};
const cellOf = (event) => event.target.closest?.("[data-show] td[data-v],.rx-as-reported td[data-v]");
const point = (event, stays) => {
  const cell = cellOf(event);
  if (note?.contains(event.target) || (note?.dataset.stays && !stays)) return;
  cell ? explain(cell, stays) : hush();
};
on(document, "mouseover", (event) => point(event));
on(document, "focusin", (event) => cellOf(event) && point(event));
on(document, "click", (event) => {
  const { target } = event;
  if (target.closest(".rx-sig")) copy(words(target), "Signature");
  const clip = target.closest("[data-clip]");
  if (clip) copy(clip.dataset.clip, clip.dataset.said);
  for (const menu of all(".rx-menu[open]")) if (!menu.contains(target)) menu.open = false;
  if (target.isConnected) point(event, true);
});
on(document, "keydown", (event) => {
  const { key, target } = event;
  const menu = target.closest(".rx-menu[open]");
  if (key == "Escape") {
    if (menu) one("summary", menu).focus(menu.removeAttribute("open"));
    else hush(note?.contains(target));
  }
  const cell = cellOf(event);
  if (!cell) return;
  const { previousElementSibling: above, nextElementSibling: below } = cell.parentNode;
  const next = { ArrowRight: cell.nextElementSibling, ArrowLeft: cell.previousElementSibling, ArrowDown: below?.cells[cell.cellIndex], ArrowUp: above?.cells[cell.cellIndex] }[key];
  if (key == "Enter") explain(cell, true);
  else if (next?.dataset.v) next.focus([cell.tabIndex, next.tabIndex] = [-1, 0]);
  else return;
  event.preventDefault();
});
parts.push(() => {
  hush();
  for (const table of all("[data-show],.rx-as-reported")) {
    for (const cell of all("td[data-v]", table)) cell.tabIndex = -1;
    one("td[data-v]", table)?.setAttribute("tabindex", 0);
  }
});
