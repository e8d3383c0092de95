// The submit form: what was filled in, as `submission.yaml`. The fields carry the schema's own patterns and limits,
// so the browser itself says what the schema refuses.
fresh(".rx-form", (form) => {
  const text = one("output", form);
  const quoted = JSON.stringify;
  // What no attribute of a field can say: words and not blanks, and one box of a group at least.
  const weigh = () => {
    for (const field of all("[required]", form)) field.setCustomValidity(field.value.trim() ? "" : "Fill in this field.");
    for (const group of all("[data-needed]", form)) one("input", group).setCustomValidity(one(":checked", group) ? "" : "Choose one or more.");
  };
  weigh();
  on(form, "change", ({ target }) => {
    if (target.type == "text") target.value = target.value.trim();
  });
  on(form, "input", () => {
    weigh();
    const card = {};
    for (const { name, type, checked, value, dataset } of form.elements) {
      const [top, under] = name.split(".");
      const given = type == "checkbox" && !checked ? "" : value?.trim();
      if (!name || !given) continue;
      if (dataset.list == undefined) card[top] = under ? `${card[top] || ""}\n  ${under}: ${quoted(given)}` : " " + quoted(given);
      else for (const line of given.split("\n").filter((words) => words.trim())) card[top] = `${card[top] || ""}\n  - ${dataset.list}${quoted(line.trim())}`;
    }
    text.value = Object.entries(card)
      .map(([key, value]) => `${key}:${value}\n`)
      .join("");
  });
  on(form, "submit", (event) => {
    event.preventDefault();
    save(text.value, "submission.yaml");
  });
});
