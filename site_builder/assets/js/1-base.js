// Shared by all parts. The files of this folder form one classic script, in the order of their names; every
// part can run twice, because the theme swaps pages without reloading.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const on = (node, type, handler) => node?.addEventListener(type, handler);
const make = (name, text, more) => Object.assign(document.createElement(name), { textContent: text }, more);
const words = (node) => node?.textContent.trim() || "";
const first = (cell) => words(cell.firstChild);
const parts = [];
const fresh = (selector, begin) =>
  parts.push(() => {
    for (const node of all(selector + ":not([data-on])")) {
      node.dataset.on = 1;
      begin(node);
    }
  });
const collate = new Intl.Collator("en", { numeric: true }).compare;
const say = (text) => {
  const status = one(".rx-status");
  if (status) status.textContent = text;
};
const copy = (text, what) =>
  navigator.clipboard.writeText(text).then(
    () => say(what + " copied"),
    () => prompt("", text),
  );
const save = (text, name) => make("a", "", { href: URL.createObjectURL(new Blob([text])), download: name }).click();
const load = async (address, kind = "json") => (await fetch(address))[kind]();

// View state lives in the address; `q` and `h` belong to the theme.
const query = () => new URLSearchParams(location.search);
const keep = (state) => {
  const kept = new URLSearchParams(Object.entries({ edition: query().get("edition"), ...state }).filter((entry) => entry[1]));
  history.replaceState(history.state, "", (kept.size ? `?${kept}`.replace(/%2C/g, ",") : location.pathname) + location.hash);
};
