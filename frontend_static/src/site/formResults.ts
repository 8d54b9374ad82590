/** Results of forms: at the address of their page, and in the row or section of the form. */

const STORAGE_KEY = "signalbox.sent-form";

/** Attributes that name the object of a row. */
const ROWS = ["data-connection", "data-mcp-server", "data-trigger", "data-person"];

/**
 * A form that shows a secret once, or was refused, answers at its own address. The address of the
 * page replaces it, so that a reload and a bookmark work and the form is not sent again.
 */
export function leaveFormAddress(): void {
  const page = document.querySelector<HTMLElement>("[data-page-address]")?.dataset.pageAddress;
  if (page) history.replaceState(null, "", page + location.hash);
}

/** Show the messages of a sent form in its row or section, because the window may show only that. */
export function placeResults(): void {
  const place = takePlace();
  document.addEventListener("submit", (event) => {
    if (!event.defaultPrevented) storePlace(event.target as HTMLFormElement);
  });
  const messages = [...document.querySelectorAll("#content > .notice[role='status']")];
  if (!place || messages.length === 0) return;
  place.append(...messages);
  place.scrollIntoView({ block: "nearest" });
}

function storePlace(form: HTMLFormElement): void {
  const row = form.closest(ROWS.map((name) => `[${name}]`).join());
  const attribute = ROWS.find((name) => row?.hasAttribute(name));
  const section = form.closest("section[aria-labelledby]")?.getAttribute("aria-labelledby");
  const selectors = [
    attribute && `[${attribute}="${CSS.escape(row?.getAttribute(attribute) ?? "")}"]`,
    section && `section[aria-labelledby="${CSS.escape(section)}"]`,
  ].filter(Boolean);
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify(selectors));
  } catch {
    // Without storage the messages stay at the top.
  }
}

/** The element for the messages of the form that was sent last. */
function takePlace(): HTMLElement | null {
  try {
    const stored = sessionStorage.getItem(STORAGE_KEY) ?? "[]";
    sessionStorage.removeItem(STORAGE_KEY);
    for (const selector of JSON.parse(stored) as string[]) {
      const found = document.querySelector<HTMLElement>(selector);
      if (found) return found.querySelector<HTMLElement>("td:last-child") ?? found;
    }
  } catch {
    // The same.
  }
  return null;
}
