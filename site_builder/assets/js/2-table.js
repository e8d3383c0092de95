// Sorting. Keys are the raw numbers in `data-v`; what is missing stays last both ways; the sort is stable.
const ordered = (rows, column, down) => {
  const key = (row) => {
    const cell = row.cells[column];
    return cell.localName == "th" ? words(one("a", cell) || cell) : cell.dataset.v ? +cell.dataset.v : null;
  };
  const compare = (a, b) => (typeof a == "string" ? collate(a, b) : a - b);
  return rows
    .map((row) => [key(row), row])
    .sort(([a], [b]) => (a === null) - (b === null) || (a === null ? 0 : down ? compare(b, a) : compare(a, b)))
    .map((entry) => entry[1]);
};
const heads = (table) => [...[...table.tHead.rows].pop().cells];
const label = (head) => first(one("button", head));
const marked = (table, head, down) => {
  for (const other of heads(table)) other.ariaSort = other == head ? (down ? "descending" : "ascending") : null;
};
// The first click on a heading shows its best end, the next one turns the order round.
const sorting = (table, change) => {
  for (const head of heads(table))
    on(one("button", head), "click", () => change(head, head.ariaSort ? head.ariaSort == "ascending" : head.dataset.b == "higher"));
};
parts.push(() => {
  for (const table of all(".rx-as-reported:not([data-on])")) {
    table.dataset.on = 1;
    const rows = [...table.tBodies[0].rows];
    sorting(table, (head, down) => {
      table.tBodies[0].append(...ordered(rows, head.cellIndex, down));
      marked(table, head, down);
    });
  }
});
