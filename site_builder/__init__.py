"""Records to pages: views, plots, rendering, exports. Imports `scorer`; `scorer` never imports this."""
