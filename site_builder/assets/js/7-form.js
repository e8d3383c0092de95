// The submit form: what was filled in, as `submission.yaml`. The fields carry the schema's own patterns and limits,
// so the browser itself says what the schema refuses.
fresh(".rx-form", (form) => {
  const text = one("output", form);
  const quoted = JSON.stringify;
  on(form, "input", () => {
    const card = {};
    for (const { name, type, checked, value, dataset } of form.elements) {
      const [top, under] = name.split(".");
      const given = type == "checkbox" && !checked ? "" : value?.trim();
      if (!name || !given) continue;
      if (dataset.list == undefined) card[top] = under ? `${card[top] || ""}\n  ${under}: ${quoted(given)}` : " " + quoted(given);
      else for (const line of given.split("\n")) card[top] = `${card[top] || ""}\n  - ${dataset.list}${quoted(line.trim())}`;
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
