// The edition picker swaps the table in place; without a script its links lead to the edition's own page.
parts.push((root) => {
  const picker = $(".rx-editions:not([data-on])", root);
  if (!picker) return;
  picker.dataset.on = 1;
  const show = async (link) => {
    const address = new URL(link.href);
    const page = new DOMParser().parseFromString(await (await fetch(address)).text(), "text/html");
    const section = page.getElementById(address.hash.slice(1));
    const old = $(".rx-reported", picker.parentNode);
    if (!section || !old) return location.assign(address);
    for (const a of $$("a[href]", section)) a.href = new URL(a.getAttribute("href"), address);
    const title = $("h2", section);
    title.replaceWith(make("h3", title.textContent));
    old.replaceWith(section);
    for (const other of $$("a", picker)) other.ariaCurrent = other == link ? "true" : null;
    keep({ edition: link.textContent });
    begin(section.parentNode);
  };
  on(picker, "click", (event) => {
    const link = event.target.closest("a");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    event.stopPropagation();
    show(link);
  });
  const wanted = $$("a", picker).find((link) => link.textContent == query().get("edition"));
  if (wanted && !wanted.ariaCurrent) show(wanted);
});
