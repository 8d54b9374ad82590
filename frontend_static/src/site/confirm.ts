import { make } from "./dom";

/** Deleting a pack asks first and names it; without a script the form deletes at once. */
export function confirmDeletions(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const button = form.querySelector<HTMLButtonElement>("button.danger");
    const card = form.closest<HTMLElement>(".card[data-pack]");
    if (!button || !card || form.dataset.confirmed) return;
    event.preventDefault();
    const name = card.querySelector(".card-title")?.textContent?.trim() ?? "this pack";
    void ask(name).then((yes) => {
      if (!yes) return;
      form.dataset.confirmed = "true";
      form.requestSubmit();
    });
  });
  closeMenusOutside();
}

function ask(name: string): Promise<boolean> {
  return new Promise((answer) => {
    const no = make("button", { type: "button", className: "button", textContent: "Keep it", autofocus: true });
    const yes = make("button", { type: "button", className: "button danger", textContent: "Delete for good" });
    const dialog = make(
      "dialog",
      { className: "dialog" },
      make("header", {}, make("h2", { textContent: `Delete “${name}”?` })),
      make("div", { className: "body" }, make("p", { textContent: "Its revisions and runs go with it. This cannot be undone; export it first if in doubt." })),
      make("footer", {}, no, yes),
    );
    const end = (said: boolean) => {
      dialog.close();
      dialog.remove();
      answer(said);
    };
    no.addEventListener("click", () => end(false));
    yes.addEventListener("click", () => end(true));
    dialog.addEventListener("cancel", () => end(false));
    document.body.append(dialog);
    dialog.showModal();
  });
}

function closeMenusOutside(): void {
  document.addEventListener("pointerdown", (event) => {
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      if (!menu.contains(event.target as Node)) menu.open = false;
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) menu.open = false;
  });
}
