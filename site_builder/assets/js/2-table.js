// Sorting. Keys are the raw numbers in `data-v`; what is missing stays last both ways; the sort is stable.
const ordered = (rows, column, down) => {
  const key = (row) => {
    const cell = row.cells[column];
    if (cell.localName == "th") return words(one("a", cell) || cell);
    return cell.dataset.v ? +cell.dataset.v : null;
  };
  const way = down ? -1 : 1;
  return rows
    .map((row) => [key(row), row])
    .sort(([a], [b]) => (a === null) - (b === null) || way * (a?.at ? collate(a, b) : a - b))
    .map((entry) => entry[1]);
};
const heads = (table) => [...[...table.tHead.rows].pop().cells];
const label = (head) => first(one("button", head));
const marked = (table, head, down) => {
  for (const other of heads(table)) {
    const way = other != head ? null : down ? "descending" : "ascending";
    if (other.ariaSort != way) other.ariaSort = way;
  }
};
// The first click on a heading shows its best end, the next one turns the order round.
const sorting = (table, change) => {
  for (const head of heads(table)) on(one("button", head), "click", () => change(head, head.ariaSort ? head.ariaSort == "ascending" : head.dataset.b == "higher"));
};
// One cell of a table can be reached with Tab; the arrow keys go on from there.
const enter = (body) => {
  const known = all("td[tabindex='0']", body);
  const cell = known.find((td) => !td.hidden) || one("td:not(.rx-pick,.rx-rank,[hidden])", body);
  for (const td of known) td.tabIndex = -1;
  if (cell) cell.tabIndex = 0;
};
fresh(".rx-as-reported", (table) => {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const sort = (head, down) => {
    body.append(...ordered(rows, head.cellIndex, down));
    marked(table, head, down);
  };
  const isAlone = !all(".rx-as-reported")[1]; // as on a board, where the address holds its order
  sorting(table, (head, down) => {
    sort(head, down);
    if (isAlone) keep({ by: (down ? "-" : "") + label(head) });
  });
  const [, way, key] = /^(-?)(.*)/.exec(query().get("by"));
  const wanted = isAlone && heads(table).find((head) => one("button", head) && label(head) == key);
  if (wanted) sort(wanted, !!way);
  enter(body);
});
