// Exactly this view, as LaTeX, Markdown, CSV or JSON.
const give = (kind, name, table, columns) => {
  if (kind == "link") return copy(location.href, "Link");
  const shown = columns.filter((head) => !head.hidden);
  const ends = (cell) => (cell.dataset.v ? [first(cell), ...words(one("small", cell)).split(/–| to /), "", ""].slice(0, 3) : ["", "", ""]);
  const lines = all("tbody tr:not([hidden])", table).map((row) => [[first(one(".rx-rank", row)), words(one("th a", row))], ...shown.map((head) => ends(row.cells[head.cellIndex]))]);
  const labels = shown.map(label);
  if (kind == "csv" || kind == "json") {
    const keys = ["rank", "model", ...shown.flatMap((head) => [head.dataset.k, head.dataset.k + "_low", head.dataset.k + "_high"])];
    const wide = lines.map((line) => line.flat());
    // A sheet would run a text that starts like a formula; numbers stay numbers.
    const sheet = (text) => `"${(/^ *[=+\-@\t\r]/.test(text) && isNaN(text) ? "'" : "") + text.replace(/"/g, '""')}"`;
    const objects = () => wide.map((line) => Object.fromEntries(keys.map((key, i) => [key, i < 2 ? line[i] : line[i] ? +line[i] : null])));
    save(kind == "csv" ? [keys, ...wide].map((line) => line.map(sheet).join() + "\n").join("") : JSON.stringify({ view: location.href, rows: objects() }, null, 1), `${name.replace("/", ".")}.view.${kind}`);
  } else {
    const tex = kind == "latex";
    const special = { "\\": "\\textbackslash{}", "^": "\\^{}", "~": "\\~{}", "–": "--" };
    const safe = (text) => text.replace(tex ? /[\\^~–&%$#_{}]/g : /[\\|<>*_`[\]]/g, (c) => (tex && special[c]) || "\\" + c);
    const cells = [["Rank", "Model", ...labels], ...lines.map(([front, ...rest]) => [...front, ...rest.map(([x, low, high]) => (low && table.dataset.show != "off" ? `${x} (${low}–${high})` : x))])];
    const text = cells.map((line) => (tex ? line.map(safe).join(" & ") + " \\\\" : `| ${line.map(safe).join(" | ")} |`));
    text.splice(1, 0, tex ? "\\hline" : "|" + " --- |".repeat(labels.length + 2));
    copy((tex ? [`\\begin{tabular}{rl${"r".repeat(labels.length)}}`, ...text, "\\end{tabular}", "% " + location.href] : text).join("\n"), tex ? "LaTeX" : "Markdown");
  }
};
