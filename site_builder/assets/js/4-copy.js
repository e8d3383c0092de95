// Exactly this view as LaTeX, Markdown, CSV or JSON.
const tex = (text) => text.replace(/[\\{}$&#^_%~]/g, (c) => (c == "\\" ? "\\textbackslash{}" : c == "^" || c == "~" ? `\\${c}{}` : "\\" + c));
const sheet = (text) => {
  // A sheet would run what starts like a formula; numbers stay numbers.
  const safe = /^ *[=+\-@\t\r]/.test(text) && isNaN(text) ? "'" + text : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
};

const give = (kind, box, body, columns) => {
  const shown = columns.filter((column) => !column.hidden);
  const rows = [...body.rows].filter((row) => !row.hidden);
  const intervals = $("table", box).dataset.show != "off";
  const labels = shown.map((column) => $("button", column).firstChild.textContent);
  const lines = rows.map((row) => ({
    rank: $(".rx-rank", row).firstChild?.textContent || "",
    model: $("th a", row).textContent,
    cells: shown.map((column) => {
      const cell = row.cells[column.cellIndex];
      const [low, high] = ($("small", cell)?.textContent || "").split(/–| to /);
      return cell.dataset.v ? { value: cell.firstChild.textContent, low, high } : {};
    }),
  }));
  const written = (cell, dash) => (!cell.value ? "" : intervals && cell.low ? `${cell.value} (${cell.low}${dash}${cell.high})` : cell.value);
  if (kind == "latex") {
    const text = [
      `% ${box.dataset.title}: ${location.href}`,
      `\\begin{tabular}{rl${"r".repeat(shown.length)}}`,
      ["Rank", "Model", ...labels].map(tex).join(" & ") + " \\\\ \\hline",
      ...lines.map((line) => [line.rank.replace("–", "--"), tex(line.model), ...line.cells.map((cell) => written(cell, "--"))].join(" & ") + " \\\\"),
      "\\end{tabular}",
    ];
    copy(text.join("\n"), "LaTeX");
  } else if (kind == "markdown") {
    const bar = (cells) => `| ${cells.join(" | ")} |`;
    const plain = (text) => text.replace(/[\\|<>*_`[\]]/g, "\\$&");
    const text = [bar(["Rank", "Model", ...labels]), bar(["--:", ":--", ...labels.map(() => "--:")]), ...lines.map((line) => bar([line.rank, plain(line.model), ...line.cells.map((cell) => written(cell, "–"))]))];
    copy(text.join("\n"), "Markdown");
  } else if (kind == "csv") {
    const ends = (one) => (intervals ? [one, one + " low", one + " high"] : [one]);
    const text = [["rank", "model", ...labels.flatMap(ends)], ...lines.map((line) => [line.rank, line.model, ...line.cells.flatMap((cell) => (intervals ? [cell.value, cell.low, cell.high] : [cell.value]).map((x) => x || ""))])];
    save(text.map((line) => line.map(sheet).join(",")).join("\n") + "\n", box.dataset.board.replace("/", ".") + ".view.csv", "text/csv");
  } else {
    const number = (text) => (text ? +text : null);
    const document = lines.map((line) => ({
      rank: line.rank || null,
      model: line.model,
      ...Object.fromEntries(line.cells.map((cell, i) => [shown[i].dataset.k, cell.value ? { value: number(cell.value), low: number(cell.low), high: number(cell.high) } : null])),
    }));
    save(JSON.stringify({ board: box.dataset.board, address: location.href, rows: document }, null, 1), box.dataset.board.replace("/", ".") + ".view.json", "application/json");
  }
};
