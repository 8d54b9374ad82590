/** A user's breakpoints in a pack. They are stored in the browser, never in the pack. */

const storageKey = (pack: string) => `signalbox.breakpoints.${pack}`;

export function storeBreakpoints(pack: string, ids: ReadonlySet<string>): void {
  try {
    if (ids.size) localStorage.setItem(storageKey(pack), JSON.stringify([...ids]));
    else localStorage.removeItem(storageKey(pack));
  } catch {
    // Storage may be full or blocked. The breakpoints then last until the page is closed.
  }
}

export function loadBreakpoints(pack: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(pack)) ?? "[]");
    if (Array.isArray(stored))
      return new Set(stored.filter((id): id is string => typeof id === "string"));
  } catch {
    // The stored value is invalid.
  }
  return new Set();
}
