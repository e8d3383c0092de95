// A board: filters, columns, ranks of the sorted column, choice; all of it in the address.
const isProbe = (row) => row.matches(".rx-probe");
const idOf = (row) => one("th a", row).pathname.split("/").at(-2);
fresh(".rx-board", (box) => {
  const table = one("table", box);
  const form = one("form", box);
  const { elements } = form;
  const rows = [...table.tBodies[0].rows];
  const columns = heads(table).filter((head) => head.dataset.g);
  const start = columns.find((head) => head.ariaSort);
  const startsDown = start?.ariaSort == "descending";
  const shownIds = () => columns.flatMap((head) => (head.hidden ? [] : head.dataset.k)).join();
  const usual = shownIds();
  const facets = all("[data-facet]", form);
  const link = one(".rx-compare", box);
  let [head, down] = [start, startsDown];
  let orders;
  let later;

  // Ranks, intervals and tie groups stand in `data-r`, computed by the server; nothing is renumbered.
  const rank = (visible, from, to) => {
    const by = head?.dataset.g ? head : start;
    const given = (row) => (row.cells[by.cellIndex].dataset.r || "").split(",");
    const groups = visible.map((row) => by == head && given(row)[3]);
    for (let i = from; i < to && visible[i]; i++) {
      const row = visible[i];
      const [place, low, high] = given(row);
      // A probe between two rows of a group keeps its bracket whole.
      const next = groups.slice(i).find(Boolean);
      const group = groups[i] || (isProbe(row) && next == groups.slice(0, i).findLast(Boolean) && next);
      row.dataset.t = group && groups.filter((other) => other == group).length > 1 ? 2 - (group % 2) : "";
      const cell = one(".rx-rank", row);
      cell.textContent = low ? `${place} (${low == high ? low : low + "–" + high})` : place;
      if (row.dataset.t && place) cell.append(make("small", "not separable"));
    }
    one(".rx-rank", table).firstChild.data = by == start ? "Rank" : "Rank by " + label(by);
  };

  // A value and its interval on the scale that the column's rows share.
  const bars = () => {
    for (const { cellIndex } of columns) {
      const numbers = rows.map(({ cells }) => [first(cells[cellIndex]), ...words(one("small", cells[cellIndex])).split(/–| to /)].map(parseFloat));
      const flat = numbers.flat().filter(isFinite);
      const low = Math.min(...flat);
      const at = (x) => 1 + Math.round((54 * (x - low)) / (Math.max(...flat) - low || 1));
      rows.forEach(({ cells }, i) => {
        const [x, from, to] = numbers[i].map(at);
        if (isFinite(x)) cells[cellIndex].insertAdjacentHTML("beforeend", `<svg aria-hidden="true"><path d="${isFinite(to) ? `M${from} 4H${to}` : ""}M${x} 1v6"/></svg>`);
      });
    }
  };

  const choose = (list) => {
    for (const column of columns) {
      const hidden = !list.split(",").includes(column.dataset.k);
      one(`[value=${column.dataset.k}]`, form).checked = !hidden;
      for (const { cells } of [{ cells: heads(table) }, ...rows]) cells[column.cellIndex].hidden = hidden;
    }
    for (const group of all(".rx-groups th", table)) {
      const { length } = columns.filter((column) => !column.hidden && column.dataset.g == words(group));
      group.hidden = !length;
      group.colSpan = length || 1;
    }
    elements.preset.value = list;
  };

  const draw = async () => {
    if (table.dataset.order && head != start) orders ||= await load(table.dataset.order);
    const state = Object.fromEntries(new FormData(form));
    const find = state.find.trim().toLowerCase();
    const shown = (row) => words(one("th", row)).toLowerCase().includes(find) && (isProbe(row) ? !state.probes : facets.every(({ name, value }) => !value || (row.dataset[name] || "").split("|").includes(value)));
    const places = orders && head.dataset.g && new Map(orders[head.dataset.k].map((row, i) => [rows[row], i]));
    const sorted = head ? ordered(rows, head.cellIndex, down, places) : rows;
    const visible = sorted.filter(shown);
    if (state.pin) visible.sort((a, b) => !!one(":checked", b) - !!one(":checked", a));
    const seen = new Set(visible);
    const order = [...visible, ...sorted.filter((row) => (row.hidden = !seen.has(row)))];
    const body = table.tBodies[0];
    const lay = (put, from, to) => {
      if (start) rank(visible, from, to);
      body[put](...order.slice(from, to));
    };
    // What a long board lays out moves now, the rest a while after the frame; as the server wrote it, nothing moves.
    clearTimeout(later);
    if (later || head != start || !visible[rows.length - 1] || order.some((row, i) => row != body.rows[i])) {
      const soon = table.matches(".rx-long") ? 100 : 150;
      lay("prepend", 0, soon);
      later = setTimeout(lay, 500, "append", soon, rows.length);
    }
    marked(table, head, down);
    if (start) table.dataset.show = state.show || "interval";
    if (state.show == "bar" && !one("td svg", table)) bars();
    say(`${visible.length} of ${rows.length} rows shown${head ? ", by " + label(head) : ""}`);
    const sel = all("td :checked", table).map((field) => field.value).join();
    keep({ ...state, col: "", preset: "", sel, cols: shownIds() == usual ? "" : shownIds(), sort: head == start && down == startsDown ? "" : (down ? "-" : "") + head.dataset.k });
    if (link) link.search = `board=${box.dataset.board}&models=${sel}`;
  };

  sorting(table, (...way) => {
    [head, down] = way;
    draw();
  });
  on(form, "input", ({ target: { name, value } }) => {
    if (name == "preset") choose(value);
    if (name == "col") choose(all("[name=col]:checked", form).map((field) => field.value).join());
    draw();
  });
  on(table, "change", draw);
  on(form, "click", ({ target }) => target.dataset.copy && give(target.dataset.copy, box.dataset.board, table, columns));

  const state = query();
  const [, way, key] = /^(-?)(.*)/.exec(state.get("sort"));
  const wanted = heads(table).find((other) => other.dataset.k == key);
  if (wanted) [head, down] = [wanted, !!way];
  for (const [name, value] of state) if (elements[name]) elements[name][elements[name].type == "checkbox" ? "checked" : "value"] = value;
  for (const row of link ? rows : []) row.cells[0].append(make("input", "", { type: "checkbox", value: idOf(row), checked: (state.get("sel") || "").split(",").includes(idOf(row)), ariaLabel: "Choose " + words(one("th a", row)) }));
  if (state.get("cols")) choose(state.get("cols"));
  draw();
});
