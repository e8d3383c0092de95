// Shared by all parts. The files of this folder form one classic script, in the order of their names; every
// part can run twice, because the theme swaps pages without reloading.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const on = (node, type, handler) => node?.addEventListener(type, handler);
const make = (name, text, more) => Object.assign(document.createElement(name), { textContent: text }, more);
const words = (node) => node?.textContent.trim() || "";
const first = (cell) => words(cell.firstChild);
const parts = [];
const collate = new Intl.Collator("en", { numeric: true }).compare;
const say = (text) => {
  const status = one(".rx-status");
  if (status) status.textContent = text;
};
const copy = (text, what) =>
  navigator.clipboard.writeText(text).then(
    () => say(what + " copied"),
    () => prompt(what, text),
  );
const save = (text, name) => make("a", "", { href: URL.createObjectURL(new Blob([text])), download: name }).click();

// View state lives in the address; `q` and `h` belong to the theme.
const query = () => new URLSearchParams(location.search);
const keep = (state) => {
  const kept = query();
  for (const key in state) state[key] ? kept.set(key, state[key]) : kept.delete(key);
  history.replaceState(history.state, "", location.pathname + (kept.size ? "?" + `${kept}`.replace(/%2C/g, ",") : "") + location.hash);
};
