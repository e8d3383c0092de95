// A plot to explore, only after a click: the library once, the figure from its own file.
let library;
on(document, "click", async ({ target }) => {
  const { plot, lib } = target.dataset;
  if (!plot) return;
  library ||= new Promise((done) => document.head.append(make("script", "", { src: lib, onload: done })));
  await library;
  const place = make("div", "");
  target.replaceWith(place);
  Plotly.newPlot(place, await load(plot));
});
