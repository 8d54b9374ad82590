/** Where runs of a pack are to pause: each person's own, in the browser's storage, never in the pack. */

const storageKey = (pack: string) => `signalbox.breakpoints.${pack}`;

export function storeBreakpoints(pack: string, ids: ReadonlySet<string>): void {
  try {
    if (ids.size) localStorage.setItem(storageKey(pack), JSON.stringify([...ids]));
    else localStorage.removeItem(storageKey(pack));
  } catch {
    // Storage may be full or forbidden; they hold until the page is left.
  }
}

export function loadBreakpoints(pack: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(storageKey(pack)) ?? "[]");
    if (Array.isArray(stored))
      return new Set(stored.filter((id): id is string => typeof id === "string"));
  } catch {
    // What is kept there is not ours.
  }
  return new Set();
}
