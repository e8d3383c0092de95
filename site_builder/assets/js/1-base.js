// Shared by all parts. The whole is one classic script, wrapped once; every part is idempotent, because the
// theme swaps pages without reloading.
const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
const on = (node, type, handler) => node && node.addEventListener(type, handler);
const make = (name, text, properties) => Object.assign(document.createElement(name), { textContent: text }, properties);
const parts = [];
const collator = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

const say = (text) => {
  const status = $(".rx-status");
  if (status) status.textContent = text;
};

const copy = (text, what) => navigator.clipboard.writeText(text).then(() => say(what + " copied"), () => prompt(what, text));

const save = (text, name, type) => {
  const link = make("a", "", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 9e3);
};

// View state lives in the address; `q` and `h` belong to the theme.
const query = () => new URLSearchParams(location.search);
const keep = (state) => {
  const kept = query();
  for (const [key, value] of Object.entries(state)) value ? kept.set(key, value) : kept.delete(key);
  const text = kept.toString().replace(/%2C/g, ",");
  history.replaceState(history.state, "", location.pathname + (text && "?" + text) + location.hash);
};

on(document, "click", (event) => {
  const clip = event.target.closest("[data-clip]");
  if (clip) copy(clip.dataset.clip, "Signature");
  for (const menu of $$("details.rx-menu[open]")) if (!menu.contains(event.target)) menu.open = false;
});
on(document, "keydown", (event) => {
  if (event.key != "Escape") return;
  for (const menu of $$("details.rx-menu[open]")) {
    if (menu.contains(document.activeElement)) $("summary", menu).focus();
    menu.open = false;
  }
});
