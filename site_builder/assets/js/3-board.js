// The board: filters, columns, ranks of the sorted column, choice, copying; all of it in the address.
const board = (box) => {
  const table = $("table", box);
  const form = $("form", box);
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows].pop().cells;
  const columns = [...heads].filter((head) => head.dataset.k);
  const chosen = new Set();
  const first = { sort: "", down: false };
  let head = columns.find((column) => column.ariaSort) || null;
  let down = head ? head.ariaSort == "descending" : false;
  [first.head, first.down] = [head, down];
  const names = new Map(rows.map((row) => [row, $("th", row).textContent.toLowerCase()]));
  const field = (name) => form.elements[name];
  const facets = $$("[data-facet]", form);
  const defaults = field("preset")?.value;

  const shown = (row) =>
    names.get(row).includes(field("find").value.trim().toLowerCase()) &&
    (!row.classList.contains("rx-probe") || !field("probes") || field("probes").checked) &&
    facets.every((facet) => !facet.value || row.classList.contains("rx-probe") || (row.dataset[facet.name] || "").split("|").includes(facet.value));

  // Rank, interval and tie group of a row in the sorted column; the server computed them, nothing is renumbered.
  const ranks = (column) => {
    const given = rows.map((row) => row.cells[column].dataset.r?.split(","));
    if (given.some(Boolean) || !table.matches(".rx-long")) return given;
    const numbers = rows.map((row) => (row.matches(".rx-probe") ? NaN : parseFloat(row.cells[column].dataset.v)));
    const sign = heads[column].dataset.b == "lower" ? 1 : -1;
    const sorted = numbers.filter((x) => x == x).map((x) => sign * x).sort((a, b) => a - b);
    const place = new Map();
    sorted.forEach((x, i) => place.has(x) || place.set(x, i + 1));
    return numbers.map((x) => (x == x ? [place.get(sign * x)] : undefined));
  };

  const ties = (ordered, given) => {
    const runs = {};
    ordered.forEach((row, i) => {
      row.classList.remove("rx-tint", "rx-tie", "rx-tie-first", "rx-tie-inner", "rx-tie-last");
      const group = given.get(row)?.[3];
      if (group) (runs[group] = runs[group] || []).push(i);
    });
    for (const [group, run] of Object.entries(runs)) {
      if (run.length < 2) continue;
      const [from, to] = [run[0], run[run.length - 1]];
      for (let i = from; i <= to; i++) {
        const row = ordered[i];
        row.classList.add("rx-tie", i == from ? "rx-tie-first" : i == to ? "rx-tie-last" : "rx-tie-inner");
        if (group % 2 && !row.matches(".rx-probe")) row.classList.add("rx-tint");
        const cell = $(".rx-rank", row);
        if (given.get(row)) cell.append(make("small", "not separable", { className: i == from ? "" : "rx-vh" }));
      }
    }
  };

  const draw = (write = true) => {
    const sorted = head ? order(rows, head.cellIndex, down) : rows;
    const visible = sorted.filter(shown);
    const rest = sorted.filter((row) => !visible.includes(row));
    if (field("pin")?.checked || box.querySelector("[name=pin]")?.checked) visible.sort((a, b) => chosen.has(b.dataset.id) - chosen.has(a.dataset.id));
    const ranked = head && head.dataset.k ? head : first.head;
    if (ranked && rows[0].dataset.id !== undefined && $(".rx-rank", rows[0])) {
      const given = ranks(ranked.cellIndex);
      const byRow = new Map(rows.map((row, i) => [row, given[i]]));
      for (const row of rows) {
        const [rank, low, high] = byRow.get(row) || [];
        $(".rx-rank", row).textContent = !rank ? "" : !low ? rank : `${rank} (${low == high ? low : low + "–" + high})`;
      }
      ties(ranked == head ? visible : [], byRow);
      if (ranked != head) ties(visible, new Map());
      const label = $(".rx-rank span", table.tHead);
      if (label) label.textContent = ranked == first.head ? "Rank" : "Rank by " + named(ranked);
    }
    for (const row of visible) row.hidden = false;
    for (const row of rest) row.hidden = true;
    for (const row of rows) row.classList.toggle("rx-on", chosen.has(row.dataset.id));
    body.append(...visible, ...rest);
    mark(heads, head, down);
    $(".rx-empty", box).hidden = visible.length > 0;
    const models = visible.filter((row) => !row.matches(".rx-probe")).length;
    say(`${models} of ${rows.filter((row) => !row.matches(".rx-probe")).length} models shown` + (head ? `, by ${named(head)}, ${!head.dataset.b ? (down ? "Z to A" : "A to Z") : (head.dataset.b == "higher") == down ? "best first" : "worst first"}` : ""));
    if (write) remember();
  };

  const named = (column) => $("button", column).firstChild.textContent;
  const ids = () => columns.filter((column) => !column.hidden).map((column) => column.dataset.k).join(",");

  const showColumns = (list) => {
    const wanted = list.split(",");
    for (const column of columns) {
      const hide = !wanted.includes(column.dataset.k);
      const box = $(`[name=col][value="${column.dataset.k}"]`, form);
      if (box) box.checked = !hide;
      if (column.hidden == hide) continue;
      column.hidden = hide;
      for (const row of rows) row.cells[column.cellIndex].hidden = hide;
    }
    let at = 0;
    for (const group of $$(".rx-groups th", table)) {
      const span = +(group.dataset.span || (group.dataset.span = group.colSpan));
      const left = columns.slice(at, (at += span)).filter((column) => !column.hidden).length;
      group.hidden = !left;
      group.colSpan = left || 1;
    }
    const preset = field("preset");
    if (preset) preset.value = [...preset.options].find((option) => option.value == list)?.value || "";
  };

  const remember = () => {
    const state = {
      sort: head == first.head && down == first.down ? "" : (down ? "-" : "") + (head?.dataset.k || "name"),
      show: field("show") && field("show").value != "interval" ? field("show").value : "",
      cols: columns.length && defaults !== undefined && ids() != defaults ? ids() : "",
      find: field("find").value,
      probes: field("probes") && !field("probes").checked ? "off" : "",
      sel: [...chosen].join(","),
      pin: $("[name=pin]", box)?.checked ? "1" : "",
    };
    for (const facet of facets) state[facet.name] = facet.value;
    keep(state);
    const link = $(".rx-compare", box);
    if (link) {
      link.href = link.href.split("?")[0] + `?board=${box.dataset.board}&models=${[...chosen].slice(0, 4).join(",")}`;
      link.toggleAttribute("data-ready", chosen.size > 1);
      link.textContent = chosen.size < 2 ? "Choose two to four to compare" : `Compare ${Math.min(4, chosen.size)} chosen`;
    }
  };

  const recall = () => {
    const state = query();
    const sort = state.get("sort");
    if (sort) {
      const key = sort.replace("-", "");
      const found = [...heads].find((column) => (column.dataset.k || (column.matches(".rx-model") && "name")) == key);
      if (found) [head, down] = [found, sort[0] == "-"];
    }
    for (const name of ["find", "show", ...facets.map((facet) => facet.name)]) if (state.get(name) && field(name)) field(name).value = state.get(name);
    if (field("probes")) field("probes").checked = state.get("probes") != "off";
    for (const id of (state.get("sel") || "").split(",")) if (rows.some((row) => row.dataset.id === id)) chosen.add(id);
    for (const row of rows) if (chosen.has(row.dataset.id)) $(".rx-pick input", row).checked = true;
    if ($("[name=pin]", box)) $("[name=pin]", box).checked = state.get("pin") == "1";
    if (state.get("cols")) showColumns(state.get("cols"));
    if (field("show")) table.dataset.show = field("show").value;
    draw(false);
    remember();
  };

  headers(table, (column, way) => {
    [head, down] = [column, way];
    draw();
  });
  on(form, "submit", (event) => event.preventDefault());
  on(form, "input", (event) => {
    const { name, value } = event.target;
    if (name == "preset") value && showColumns(value);
    else if (name == "col") showColumns($$("[name=col]:checked", form).map((input) => input.value).join(","));
    else if (name == "show") table.dataset.show = value;
    draw();
  });
  const reset = () => {
    chosen.clear();
    for (const input of $$(".rx-pick input,[name=pin]", box)) input.checked = false;
    [head, down] = [first.head, first.down];
    form.reset();
    if (defaults) showColumns(defaults);
    if (field("show")) table.dataset.show = field("show").value;
    draw();
  };
  on(form, "reset", (event) => {
    if (event.isTrusted) setTimeout(reset);
  });
  on($("[data-reset]", box), "click", reset);
  on($("[data-all]", box), "click", (event) => {
    table.classList.add("rx-all");
    event.target.hidden = true;
  });
  on(body, "change", (event) => {
    const id = event.target.closest("tr").dataset.id;
    event.target.checked ? chosen.add(id) : chosen.delete(id);
    draw();
  });
  on($("[name=pin]", box), "change", () => draw());
  on(form, "click", (event) => {
    const kind = event.target.dataset.copy;
    if (kind == "link") copy(location.href, "Link");
    else if (kind) give(kind, box, body, columns);
  });
  if (box.dataset.board || rows.length) recall();
};

parts.push((root) => {
  for (const box of $$(".rx-board:not([data-on])", root)) {
    box.dataset.on = 1;
    board(box);
  }
});
