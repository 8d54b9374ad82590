/** Small comforts of the gallery and its forms. All of them also work without scripts. */
export function improveForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-autosubmit]")) {
    form.querySelector<HTMLElement>("button[type=submit]")?.setAttribute("hidden", "");
    for (const select of form.querySelectorAll("select"))
      select.addEventListener("change", () => form.requestSubmit());
  }
  document.querySelector<HTMLInputElement>("input[data-select]")?.select();
  document.addEventListener("toggle", ({ target }) => focusOpenedForm(target), true);
}

/** A form that its heading opens takes the focus, so that the next keys are typed into it. */
function focusOpenedForm(details: EventTarget | null): void {
  if (!(details instanceof HTMLDetailsElement) || !details.open) return;
  if (details.querySelector(":scope > summary") !== document.activeElement) return;
  const field =
    "form :is(textarea, select, input:not([type=hidden], [type=checkbox], [type=radio]))";
  details.querySelector<HTMLElement>(field)?.focus();
}
