// The edition picker swaps the table in place; without a script its links lead to the edition's own page.
fresh(".rx-editions", (picker) => {
  const links = all("a", picker);
  let turns = 0;
  const show = async (link) => {
    const turn = ++turns;
    const whole = await page(link.href).catch(() => {});
    if (turn != turns || !picker.isConnected) return;
    const section = whole && one(`[id="${link.hash.slice(1)}"]`, whole);
    if (!section) return location.assign(link.href);
    for (const known of all("[hidden]", section)) known.hidden = 0; // on its own page the edition names itself once
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
