// Sorting. Keys are the raw numbers in `data-v`; what is missing stays last both ways; the sort is stable.
const keysOf = (rows, column) =>
  rows.map((row) => {
    const cell = row.cells[column];
    return cell.matches("th") ? $("a,span", cell)?.textContent || cell.textContent : cell.dataset.v ? +cell.dataset.v : null;
  });

const order = (rows, column, down) => {
  const keys = keysOf(rows, column);
  const sign = down ? -1 : 1;
  return rows
    .map((row, i) => [keys[i], i, row])
    .sort(([a, i], [b, j]) => (a === null) - (b === null) || (a === null ? 0 : sign * (typeof a == "string" ? collator.compare(a, b) : a - b)) || i - j)
    .map((entry) => entry[2]);
};

// A table's header buttons. `change(head, down)` is called with the column and the direction to show.
const headers = (table, change) => {
  const heads = [...table.tHead.rows].pop().cells;
  for (const head of heads)
    on($("button", head), "click", () => {
      const now = head.ariaSort;
      change(head, now ? now == "ascending" : head.dataset.b == "higher");
    });
  return heads;
};
const mark = (heads, head, down) => {
  for (const other of heads) other.ariaSort = other == head ? (down ? "descending" : "ascending") : null;
};

// Tables that only sort: editions as reported, lists.
parts.push((root) => {
  for (const table of $$(".rx-as-reported:not([data-on]),.rx-simple:not([data-on])", root)) {
    table.dataset.on = 1;
    const rows = [...table.tBodies[0].rows];
    const heads = headers(table, (head, down) => {
      table.tBodies[0].append(...order(rows, head.cellIndex, down));
      mark(heads, head, down);
    });
  }
});
