// The edition picker swaps the table in place; without a script its links lead to the edition's own page.
fresh(".rx-editions", (picker) => {
  const links = all("a", picker);
  const show = async (link) => {
    const whole = await page(link.href).catch(() => location.assign(link.href));
    if (!whole || !picker.isConnected) return;
    const section = one(`[id="${link.hash.slice(1)}"]`, whole);
    one(".rx-reported").replaceWith(section);
    for (const other of links) other.ariaCurrent = other == link ? "true" : null;
    keep({ edition: words(link) });
    begin();
  };
  on(picker, "click", (event) => {
    if (!links.includes(event.target) || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    show(event.target);
  });
  const wanted = links.find((link) => words(link) == query().get("edition"));
  if (wanted && !wanted.ariaCurrent) show(wanted);
});
