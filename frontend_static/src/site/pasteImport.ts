/** Puts text pasted on the gallery into the import form. */
export function acceptPastes(): void {
  window.addEventListener("paste", (event) => {
    const target = event.target as HTMLElement;
    if (target.closest("input, textarea, [contenteditable]")) return;
    const text = event.clipboardData?.getData("text/plain") ?? "";
    const form = document.querySelector<HTMLFormElement>("form[data-paste]");
    const area = form?.querySelector("textarea");
    if (!text.trim() || !form || !area) return;
    event.preventDefault();
    area.value = text;
    form.closest("details")?.setAttribute("open", "");
    form.scrollIntoView({ block: "center" });
    form.querySelector<HTMLButtonElement>("button[type=submit]")?.focus();
  });
}
