/** Small comforts of the gallery and its forms. All of them also work without scripts. */
export function improveForms(): void {
  for (const form of document.querySelectorAll<HTMLFormElement>("form[data-autosubmit]")) {
    form.querySelector<HTMLElement>("button[type=submit]")?.setAttribute("hidden", "");
    for (const select of form.querySelectorAll("select"))
      select.addEventListener("change", () => form.requestSubmit());
  }
  document.querySelector<HTMLInputElement>("input[data-select]")?.select();
}
