// A board: filters, columns, ranks of the sorted column, choice; all of it in the address.
const isProbe = (row) => row.matches(".rx-probe");
const idOf = (row) => one("th a", row).pathname.split("/").at(-2);
fresh(".rx-board", (box) => {
  const table = one("table", box);
  const form = one("form", box);
  const { elements } = form;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const columns = heads(table).filter((head) => head.dataset.g);
  const start = columns.find((head) => head.ariaSort);
  const startsDown = start?.ariaSort == "descending";
  const shownIds = () => columns.flatMap((head) => (head.hidden ? [] : head.dataset.k)).join();
  const usual = shownIds();
  const facets = all("[data-facet]", form);
  const link = one(".rx-compare", box);
  const { few, total = rows.length } = table.dataset;
  const chosen = new Set((query().get("sel") || "").split(",").filter(Boolean));
  let { rest } = table.dataset;
  let [head, down] = [start, startsDown];
  let visible = rows;
  let turns = 0;
  let scales;

  // A long board begins with its first rows; the others come from the page that has all of them.
  const fill = async () => {
    if (!rest) return;
    say("Loading the other rows");
    const whole = await (rest = rest.at ? page(rest).catch(() => {}) : rest);
    if (!rest) return;
    const found = whole ? all("tbody tr", whole) : [];
    const isWhole = found.length == total && found.every((row) => row.cells.length == rows[0].cells.length);
    rest = isWhole ? "" : table.dataset.rest;
    if (!isWhole) return;
    rows.push(...found.slice(rows.length));
    // The scale of a column has grown.
    if (scales) for (const svg of rows.flatMap((row) => all("td svg", row))) svg.remove();
    scales = null;
  };

  // Ranks, intervals and tie groups stand in `data-r`, computed by the server; nothing is renumbered.
  const rank = (count) => {
    const by = head?.dataset.g ? head : start;
    const given = (row) => (row.cells[by.cellIndex].dataset.r || "").split(",");
    const groups = visible.map((row) => by == head && given(row)[3]);
    visible.slice(0, count).forEach((row, i) => {
      const [place, low, high] = given(row);
      // A probe between two rows of a group keeps its bracket whole.
      const next = groups.slice(i).find(Boolean);
      const group = groups[i] || (isProbe(row) && next == groups.slice(0, i).findLast(Boolean) && next);
      const tie = group && groups.filter((other) => other == group).length > 1 ? 2 - (group % 2) : "";
      const tied = tie && place ? "not separable" : "";
      const text = low ? `${place} (${low == high ? low : low + "–" + high})` : place;
      const cell = one(".rx-rank", row);
      if (words(cell) != text + tied) cell.replaceChildren(text, ...(tied ? [make("small", tied)] : []));
      if ((row.dataset.t || "") != tie) row.dataset.t = tie;
    });
    one(".rx-rank", table).firstChild.data = by == start ? "Rank" : "Rank by " + label(by);
  };

  // A value and its interval on the scale that the column's rows share.
  const ends = (row, { cellIndex }) => [first(row.cells[cellIndex]), ...words(one("small", row.cells[cellIndex])).split(/–| to /)].map(parseFloat);
  const scale = (column) => {
    const flat = rows.flatMap((row) => ends(row, column)).filter(isFinite);
    const low = Math.min(...flat);
    return (x) => 1 + Math.round((54 * (x - low)) / (Math.max(...flat) - low || 1));
  };
  const bars = (row) => {
    scales ||= columns.map(scale);
    columns.forEach((column, i) => {
      const [x, from, to] = ends(row, column).map(scales[i]);
      if (isFinite(x)) row.cells[column.cellIndex].insertAdjacentHTML("beforeend", `<svg aria-hidden="true"><path d="${isFinite(to) ? `M${from} 4H${to}` : ""}M${x} 1v6"/></svg>`);
    });
  };

  const choose = (list) => {
    for (const column of columns) {
      column.hidden = !list.split(",").includes(column.dataset.k);
      one(`[name=col][value=${column.dataset.k}]`, form).checked = !column.hidden;
    }
    for (const group of all(".rx-groups th", table)) {
      const { length } = columns.filter((column) => !column.hidden && column.dataset.g == words(group));
      group.hidden = !length;
      group.colSpan = length || 1;
    }
    // The preset with these columns, in whatever order; without one, they were chosen by hand.
    const same = (value) => columns.every(({ hidden, dataset: { k } }) => hidden != value.split(",").includes(k));
    elements.preset.value = all("option", elements.preset).find(({ value }) => value && same(value))?.value || "";
  };

  const draw = async () => {
    const turn = ++turns;
    const state = { all: "", pin: "", probes: "", ...Object.fromEntries(new FormData(form)) };
    const find = state.find.trim().toLowerCase();
    const shown = (row) => (!find || [words(one("th", row)), row.dataset.w].join(" ").toLowerCase().includes(find)) && (isProbe(row) ? !state.probes : facets.every(({ name, value }) => !value || (row.dataset[name] || "").split("|").includes(value)));
    const isUsual = head == start && down == startsDown;
    const wantsAll = !isUsual || find || state.all || state.pin || state.probes || state.show == "bar" || facets.some(({ value }) => value);
    keep({ ...state, col: "", preset: "", sel: [...chosen].join(), cols: shownIds() == usual ? "" : shownIds() || "none", sort: isUsual ? "" : (down ? "-" : "") + head.dataset.k });
    if (link) link.search = `board=${box.dataset.board}&models=${[...chosen].map(encodeURIComponent)}`;
    marked(table, head, down);
    if (wantsAll) await fill();
    if (turn != turns || !box.isConnected) return; // while the rows came, the reader went on
    visible = (head ? ordered(rows, head.cellIndex, down) : rows).filter(shown);
    if (state.pin) visible.sort((a, b) => chosen.has(idOf(b)) - chosen.has(idOf(a)));
    const laid = visible.slice(0, state.all ? undefined : few);
    for (const row of laid) {
      for (const column of columns) row.cells[column.cellIndex].hidden = column.hidden;
      if (state.show == "bar" && !one("td svg", row)) bars(row);
      if (link && !row.cells[0].firstChild) row.cells[0].append(make("input", "", { type: "checkbox", value: idOf(row), checked: chosen.has(idOf(row)), ariaLabel: "Choose " + words(one("th a", row)) }));
    }
    if (start) rank(laid.length);
    // As the server wrote it, nothing moves; there the style sheet hides what comes after the first rows.
    const isWritten = visible.length == rows.length && !state.all && table.matches(".rx-long");
    const stays = laid.every((row, i) => row == body.rows[i]) && (isWritten || laid.length == body.rows.length);
    if (!stays || state.all) table.classList.remove("rx-long");
    if (!stays) {
      const focused = document.activeElement;
      body.replaceChildren(...laid);
      if (body.contains(focused)) focused.focus({ preventScroll: true });
    }
    enter(body);
    one(".rx-empty", box).hidden = laid.length;
    if (start) table.dataset.show = state.show || "interval";
    const matching = rest ? total : visible.length;
    const shared = laid.length < matching ? `First ${laid.length} of ${matching}` : `${matching} of ${total}`;
    say(rest && wantsAll ? "The other rows could not be loaded" : `${shared} rows shown${head ? ", by " + label(head) : ""}`);
  };

  sorting(table, (...way) => {
    [head, down] = way;
    draw();
  });
  on(box, "input", ({ target: { form: own, name, value, checked } }) => {
    if (!own) chosen[checked ? "add" : "delete"](value);
    if (name == "preset") choose(value);
    if (name == "col") choose(all("[name=col]:checked", form).map((field) => field.value).join());
    draw();
  });
  on(form, "click", async ({ target }) => {
    if (!target.dataset.copy) return;
    await fill();
    await draw();
    if (rest) return say("The other rows could not be loaded");
    if (start) rank();
    write();
    give(target.dataset.copy, box.dataset.board, table, columns, visible);
  });

  const state = query();
  const [, way, key] = /^(-?)(.*)/.exec(state.get("sort"));
  const wanted = heads(table).find((other) => other.dataset.k == key);
  if (wanted) [head, down] = [wanted, !!way];
  for (const [name, value] of state) {
    const field = /^(col|preset)$/.test(name) || elements.namedItem(name);
    if (field?.type == "checkbox") field.checked = value == "on";
    else if (field?.type) field.value = value;
    if (field?.selectedIndex < 0) field.selectedIndex = 0;
  }
  const cols = state.get("cols") || "";
  if (columns[0] && (cols == "none" || columns.some(({ dataset: { k } }) => cols.split(",").includes(k)))) choose(cols);
  draw();
});
