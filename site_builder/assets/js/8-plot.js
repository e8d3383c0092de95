// A plot to explore, only after a click: the library once, the figure from its own file.
let library;
on(document, "click", async ({ target }) => {
  const { plot, lib } = target.dataset;
  if (!plot) return;
  target.disabled = true;
  library ||= new Promise((done) => document.head.append(make("script", "", { src: lib, onload: done })));
  await library;
  const { data, layout } = await (await fetch(plot)).json();
  const place = make("div", "");
  target.closest("section").append(place);
  const ink = getComputedStyle(document.body).color;
  Plotly.newPlot(place, data, { ...layout, paper_bgcolor: "transparent", plot_bgcolor: "transparent", font: { color: ink } }, { responsive: true, displaylogo: false });
});
