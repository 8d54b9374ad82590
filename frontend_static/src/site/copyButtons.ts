import { createElement } from "../ui/dom";

/** Adds a copy button to tokens, links, addresses and examples. */
export function copyButtons(): void {
  for (const secret of document.querySelectorAll<HTMLElement>(
    "[data-fresh-token], [data-fresh-link], [data-copy]",
  )) {
    const button = createElement("button", {
      type: "button",
      className: "button small",
      textContent: "Copy",
    });
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(secret.textContent?.trim() ?? "");
        button.textContent = "Copied";
      } catch {
        getSelection()?.selectAllChildren(secret);
        button.textContent = "Press Ctrl+C";
      }
    };
    button.addEventListener("click", () => void copy());
    secret.after(button);
  }
}
