// A board: filters, columns, ranks of the sorted column, choice; all of it in the address.
const board = (box) => {
  const table = one("table", box);
  const form = one("form", box);
  const { elements } = form;
  const rows = [...table.tBodies[0].rows];
  const columns = heads(table).filter((head) => head.dataset.k);
  const names = new Map(rows.map((row) => [row, words(one("th", row)).toLowerCase()]));
  const chosen = new Set();
  const start = columns.find((head) => head.ariaSort);
  const startsDown = start?.ariaSort == "descending";
  const fields = [...elements].filter((field) => field.name && field.name != "col");
  const isProbe = (row) => row.classList.contains("rx-probe");
  const usual = (field) => (field.type == "checkbox" ? field.defaultChecked : field.options ? field.dataset.usual || "" : "");
  const value = (field) => (field.type == "checkbox" ? field.checked : field.value);
  const columnIds = () => columns.flatMap((head) => (head.hidden ? [] : head.dataset.k)).join();
  const usualColumns = columnIds();
  let head = start;
  let down = startsDown;

  const isShown = (row) =>
    fields.every((field) => {
      if (field.name == "find") return names.get(row).includes(field.value.trim().toLowerCase());
      if (field.name == "probes") return field.checked || !isProbe(row);
      return !("facet" in field.dataset) || !field.value || isProbe(row) || (row.dataset[field.name] || "").split("|").includes(field.value);
    });

  // Ranks, intervals and tie groups stand in `data-r`, computed by the server; nothing is renumbered.
  const rank = (visible) => {
    const by = head?.dataset.k ? head : start;
    const given = new Map(rows.map((row) => [row, (row.cells[by.cellIndex].dataset.r || "").split(",")]));
    const sizes = {};
    for (const row of visible) sizes[given.get(row)[3]] = (sizes[given.get(row)[3]] || 0) + 1;
    const ranked = visible.filter((row) => given.get(row)[3]);
    let group = "";
    for (const row of rows) row.dataset.t = "";
    for (const row of by == head ? visible : []) {
      const own = given.get(row)[3];
      if (own) group = sizes[own] > 1 ? own : "";
      // A probe inside a group keeps its bracket whole.
      else if (ranked.findLast((other) => given.get(other)[3] == group) == ranked.findLast((other) => visible.indexOf(other) < visible.indexOf(row))) group = "";
      row.dataset.t = group && 2 - (group % 2);
    }
    for (const row of rows) {
      const [place, low, high] = given.get(row);
      const cell = one(".rx-rank", row);
      cell.textContent = low ? `${place} (${low == high ? low : low + "–" + high})` : place;
      if (row.dataset.t && place) cell.append(make("small", "not separable"));
    }
    one(".rx-rank", table.tHead).textContent = by == start ? "Rank" : "Rank by " + label(by);
  };

  const draw = () => {
    const sorted = head ? ordered(rows, head.cellIndex, down) : rows;
    const visible = sorted.filter(isShown);
    if (elements.pin?.checked) visible.sort((a, b) => chosen.has(b.dataset.id) - chosen.has(a.dataset.id));
    if (start) rank(visible);
    const shown = new Set(visible);
    for (const row of rows) {
      row.hidden = !shown.has(row);
      row.classList.toggle("rx-on", chosen.has(row.dataset.id));
    }
    table.tBodies[0].append(...visible, ...sorted.filter((row) => row.hidden));
    marked(table, head, down);
    one(".rx-empty", box).hidden = shown.size;
    if (elements.show) table.dataset.show = elements.show.value;
    const models = (list) => list.filter((row) => !isProbe(row)).length;
    say(`${models(visible)} of ${models(rows)} models shown` + (head ? `, by ${label(head)}, ${head.dataset.b ? ((head.dataset.b == "higher") == down ? "best first" : "worst first") : down ? "Z to A" : "A to Z"}` : ""));
  };

  const choose = (list) => {
    for (const column of columns) {
      const hidden = !list.split(",").includes(column.dataset.k);
      const box = all("[name=col]", form).find((other) => other.value == column.dataset.k);
      if (box) box.checked = !hidden;
      if (column.hidden != hidden) for (const row of [{ cells: heads(table) }, ...rows]) row.cells[column.cellIndex].hidden = hidden;
    }
    for (const group of all(".rx-groups th", table)) {
      const left = columns.filter((column) => !column.hidden && column.dataset.g == words(group)).length;
      group.hidden = !left;
      group.colSpan = left || 1;
    }
    if (elements.preset) elements.preset.value = list;
  };

  const remember = () => {
    const state = {
      sort: head == start && down == startsDown ? "" : (down ? "-" : "") + (head.dataset.k || "name"),
      cols: columnIds() == usualColumns ? "" : columnIds(),
      sel: [...chosen].join(),
    };
    for (const field of fields) if (field.name != "preset") state[field.name] = value(field) === usual(field) ? "" : value(field) === true ? "on" : value(field) || "off";
    keep(state);
    const link = one(".rx-compare", box);
    if (link) {
      link.search = `board=${box.dataset.board}&models=${[...chosen].slice(0, 4).join()}`;
      link.textContent = chosen.size < 2 ? "Choose two to four to compare" : `Compare ${Math.min(4, chosen.size)} models`;
      link.toggleAttribute("data-ready", chosen.size > 1);
    }
  };

  const recall = () => {
    const state = query();
    const sort = state.get("sort") || "";
    const wanted = heads(table).find((other) => one("button", other) && (other.dataset.k || "name") == sort.replace("-", ""));
    if (wanted) [head, down] = [wanted, sort[0] == "-"];
    for (const field of fields) {
      const given = state.get(field.name);
      if (given) field.type == "checkbox" ? (field.checked = given == "on") : (field.value = given);
    }
    for (const row of rows)
      if (row.dataset.id && (state.get("sel") || "").split(",").includes(row.dataset.id)) {
        chosen.add(row.dataset.id);
        one("input", row).checked = true;
      }
    if (state.get("cols")) choose(state.get("cols"));
    draw();
    remember();
  };

  const redraw = () => {
    draw();
    remember();
  };
  const reset = () => {
    form.reset();
    chosen.clear();
    for (const box of all("input", table)) box.checked = false;
    [head, down] = [start, startsDown];
    choose(usualColumns);
    redraw();
  };
  sorting(table, (other, way) => {
    [head, down] = [other, way];
    redraw();
  });
  on(form, "submit", (event) => event.preventDefault());
  on(form, "input", ({ target }) => {
    if (target.name == "preset") choose(target.value);
    if (target.name == "col") choose(all("[name=col]:checked", form).map((other) => other.value).join());
    redraw();
  });
  on(table, "change", ({ target }) => {
    const { id } = target.closest("tr").dataset;
    target.checked ? chosen.add(id) : chosen.delete(id);
    redraw();
  });
  on(box, "click", ({ target }) => {
    if ("reset" in target.dataset) reset();
    if ("all" in target.dataset) target.hidden = table.classList.add("rx-all") || true;
    if (target.dataset.copy) give(target.dataset.copy, box.dataset.board, table, columns);
  });
  recall();
};
parts.push(() => {
  for (const box of all(".rx-board:not([data-on])")) {
    box.dataset.on = 1;
    board(box);
  }
});
