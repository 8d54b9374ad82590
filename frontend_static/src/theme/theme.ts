/** Light, dark, or as the system says. Remembered in this browser; all pages share the choice. */

const STORAGE_KEY = "signalbox.theme";

export type Theme = "light" | "dark";

export function currentTheme(): Theme {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "light" || chosen === "dark") return chosen;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function restoreTheme(): void {
  try {
    const stored = localStorage.getItem(STORAGE_KEY);
    if (stored === "light" || stored === "dark") document.documentElement.dataset.theme = stored;
  } catch {
    // Without storage the system decides.
  }
}

export function toggleTheme(): void {
  const next = currentTheme() === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  dispatchEvent(new Event("signalbox:theme"));
  try {
    localStorage.setItem(STORAGE_KEY, next);
  } catch {
    // It holds until the page is left.
  }
}
