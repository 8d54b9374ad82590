import { createElement } from "../ui/dom";
import { keyOf } from "../ui/keys";

/**
 * Asks for confirmation before a pack is deleted or a form with `data-confirm` is sent. Without
 * scripts, forms are sent at once.
 */
export function confirmForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target as HTMLFormElement;
    const pressed = event.submitter as HTMLButtonElement | null;
    const button = pressed ?? form.querySelector<HTMLButtonElement>("button.danger");
    const asks = button?.matches(".danger") ? questionOf(form, button) : null;
    if (!asks || form.dataset.confirmed) return;
    event.preventDefault();
    void ask(...asks).then((yes) => {
      if (!yes) return;
      form.dataset.confirmed = "true";
      form.requestSubmit(button);
    });
  });
  closeMenusOutside();
}

function questionOf(
  form: HTMLFormElement,
  button: HTMLButtonElement,
): [question: string, why: string] | null {
  if (form.dataset.confirm) return [form.dataset.confirm, form.dataset.why ?? ""];
  const card = button.closest<HTMLElement>(".card[data-pack]");
  if (!card) return null;
  const name = card.querySelector(".card-title")?.textContent?.trim() ?? "this pack";
  const folder = card.closest<HTMLElement>("[data-opened-folder]")?.dataset.openedFolder;
  const files = folder ? `Its files in ${folder} are deleted too. ` : "";
  return [
    `Delete “${name}”?`,
    `${files}Its revisions, runs and triggers are deleted too. This cannot be undone; export it first if in doubt.`,
  ];
}

function ask(question: string, why: string): Promise<boolean> {
  return new Promise((answer) => {
    const no = createElement("button", {
      type: "button",
      className: "button",
      textContent: "Keep it",
      autofocus: true,
    });
    const yes = createElement("button", {
      type: "button",
      className: "button danger",
      textContent: "Delete forever",
    });
    const dialog = createElement(
      "dialog",
      { className: "dialog" },
      createElement(
        "div",
        { className: "dialog-title" },
        createElement("h2", { textContent: question }),
      ),
      createElement("div", { className: "body" }, createElement("p", { textContent: why })),
      createElement("div", { className: "dialog-buttons" }, no, yes),
    );
    const end = (confirmed: boolean) => {
      dialog.close();
      dialog.remove();
      answer(confirmed);
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
    if (keyOf(event) !== "Escape") return;
    for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
      menu.open = false;
  });
}
