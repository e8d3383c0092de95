// A plot to explore, only after a click: the library once, the figure from its own file.
let library;
on(document, "click", async ({ target }) => {
  const { plot, lib } = target.dataset;
  if (!plot || target.ariaBusy) return;
  target.ariaBusy = "true";
  try {
    library ||= new Promise((onload, onerror) => document.head.append(make("script", "", { src: lib, onload, onerror })));
    await library;
    const figure = await load(plot);
    const place = make("div", "");
    one(".rx-scroll", target.closest("section")).append(place);
    target.remove();
    Plotly.newPlot(place, figure);
  } catch {
    if (!window.Plotly) library = 0;
    target.ariaBusy = null;
    target.textContent = "Could not be loaded: try again";
  }
});
