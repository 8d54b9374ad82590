import { createElement } from "./dom";

/** A modal dialog on the browser's dialog element, removed when it closes. */
export function openDialog(
  title: string,
  inside: Node[],
  { bare = false }: { bare?: boolean } = {},
): HTMLDialogElement {
  const heading = createElement("h2", { textContent: title, id: "page-dialog" });
  const close = createElement("button", {
    type: "button",
    className: "button quiet small icon-only",
    textContent: "×",
  });
  close.setAttribute("aria-label", "Close");
  const dialog = createElement(
    "dialog",
    { className: bare ? "dialog bare" : "dialog wide" },
    createElement(
      "div",
      { className: bare ? "dialog-title visually-hidden" : "dialog-title" },
      heading,
      close,
    ),
    createElement("section", { className: "body", tabIndex: bare ? -1 : 0 }, ...inside),
  );
  dialog.setAttribute("aria-labelledby", "page-dialog");
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  dialog.addEventListener("pointerdown", (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.addEventListener("keydown", (event) => event.stopPropagation());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

const KEY_SIGNS: Readonly<Record<string, string>> = {
  ArrowLeft: "←",
  ArrowRight: "→",
  ArrowUp: "↑",
  ArrowDown: "↓",
  Escape: "Esc",
  Delete: "Del",
  Backspace: "⌫",
};

/** Key combinations as `kbd` elements, joined by "or". */
export function keysOf(keys: readonly string[]): Node[] {
  return keys.flatMap((combination, index) => [
    ...(index > 0 ? [createElement("span", { className: "muted", textContent: " or " })] : []),
    ...combination
      .split(/\+(?=.)/)
      .map((key) => createElement("kbd", { textContent: KEY_SIGNS[key] ?? key })),
  ]);
}
