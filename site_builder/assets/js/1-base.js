// Shared by all parts. The files of this folder form one classic script, in the order of their names; every
// part can run twice, because the theme swaps pages without reloading.
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const one = (selector, root = document) => root.querySelector(selector);
const on = (node, ...more) => node?.addEventListener(...more);
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
let collator; // dear to make, and seldom needed
const collate = (a, b) => (collator ||= new Intl.Collator("en", { numeric: true })).compare(a, b);
const say = (text) => {
  const status = one(".rx-status");
  if (status && words(status) != text) status.textContent = text;
};
const copy = (text, what) =>
  navigator.clipboard.writeText(text).then(
    () => say(what + " copied"),
    () => prompt("", text),
  );
const save = (text, name) => make("a", "", { href: URL.createObjectURL(new Blob([text])), download: name }).click();
const load = async (address, kind = "json") => {
  const answer = await fetch(address);
  if (!answer.ok) throw answer.status;
  return answer[kind]();
};
// The words of another page of the site; its links lead where they led there.
const page = async (address) => {
  const whole = one("article", new DOMParser().parseFromString(await load(address, "text"), "text/html"));
  for (const a of all("[href]", whole)) a.href = new URL(a.getAttribute("href"), new URL(address, location));
  return whole;
};

// View state lives in the address; `q` and `h` belong to the theme.
const query = () => new URLSearchParams(location.search);
// It is written a moment after the view has changed: browsers refuse addresses that change with every letter typed.
let pending = {};
let later;
let shown; // path and query of what is seen; the theme changes the address before the page
const see = () => (shown = location.pathname + location.search);
const stays = (path) => shown.split("?")[0] == path;
const forget = () => {
  clearTimeout(later);
  pending = {};
};
see();
const write = () => {
  const kept = new URLSearchParams(Object.entries({ ...Object.fromEntries(query()), ...pending }).filter((entry) => entry[1]));
  kept.sort(); // one view, one address
  const search = kept.size ? `?${kept}`.replace(/%2C/g, ",") : "";
  if (Object.keys(pending).length && stays(location.pathname) && search != location.search) {
    history.replaceState(history.state, "", location.pathname + search + location.hash);
    see();
  }
  forget();
};
const keep = (state) => {
  Object.assign(pending, state);
  clearTimeout(later);
  later = setTimeout(write, 150);
};
// The theme takes two addresses that differ in their query alone for one page, and keeps links as they were when the
// page came. So the browser itself follows a link to another view of a page, and one to a part of it keeps the view.
on(
  document,
  "click",
  (event) => {
    write();
    const link = event.target.closest("a");
    if (link?.origin != location.origin || !stays(link.pathname)) return;
    if (link.hash) link.search = location.search;
    event.stopPropagation();
  },
  true,
);
on(window, "popstate", () => {
  forget();
  if (stays(location.pathname) && shown != see()) location.reload();
});
// When the theme has fetched a page again, what was asked meanwhile still holds.
parts.push(write, see);
