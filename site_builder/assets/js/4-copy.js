// Exactly this view, as LaTeX, Markdown, CSV or JSON.
const give = (kind, name, table, columns, rows) => {
  const shown = columns.filter((head) => !head.hidden);
  const ends = (cell) => (/\d/.test(first(cell)) ? [first(cell), ...words(one("small", cell)).split(/–| to /), "", ""].slice(0, 3) : ["", "", ""]);
  const lines = rows.map((row) => [[first(one(".rx-rank", row)), words(one("th a", row))], ...shown.map((head) => ends(row.cells[head.cellIndex]))]);
  const labels = shown.map(label);
  if (kind == "csv" || kind == "json") {
    const keys = ["rank", "model", ...shown.flatMap(({ dataset: { k } }) => [k, k + "_low", k + "_high"])];
    const wide = lines.map((line) => line.flat());
    // A sheet would run a text that starts like a formula; numbers stay numbers.
    const sheet = (text) => `"${/^ *[=+\-@\t\r]/.test(text) && isNaN(text) ? "'" : ""}${text.replace(/"/g, '""')}"`;
    save(
      kind == "csv"
        ? [keys, ...wide].map((line) => line.map(sheet) + "\n").join("")
        : JSON.stringify({ view: location.href, rows: wide.map((line) => Object.fromEntries(keys.map((key, i) => [key, i < 2 ? line[i] : line[i] ? +line[i] : null]))) }),
      `${name.replace("/", ".")}.view.${kind}`,
    );
  } else {
    const tex = kind == "latex";
    const special = { "\\": "\\textbackslash{}", "^": "\\^{}", "~": "\\~{}", "–": "--" };
    const safe = (text) => text.replace(tex ? /[\\^~–&%$#_{}]/g : /[\\|<>*_`[\]]/g, (c) => (tex && special[c]) || "\\" + c);
    const cells = [["Rank", "Model", ...labels], ...lines.map(([front, ...rest]) => [...front, ...rest.map(([x, low, high]) => (low && table.dataset.show != "off" ? `${x} (${low}–${high})` : x))])];
    const text = cells.map((line) => line.map(safe).join(tex ? " & " : " | ")).map((line) => (tex ? line + " \\\\" : `| ${line} |`));
    text.splice(1, 0, tex ? "\\hline" : "|" + " --- |".repeat(labels.length + 2));
    if (tex) text.unshift(`\\begin{tabular}{rl${"r".repeat(labels.length)}}`), text.push("\\end{tabular}", "% " + location.href);
    copy(text.join("\n"), "Table");
  }
};
