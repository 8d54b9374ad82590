/** Unsent edits in the browser's storage, so that a closed tab or a stopped server loses none. */

import type { Edit } from "../api";

const storageKey = (pack: string) => `signalbox.unsent.${pack}`;

export interface UnsentEdits {
  groups: Edit[][];
  /** The revision on which they were made; null if unknown. */
  base: number | null;
}

export function storeUnsentEdits(pack: string, groups: Edit[][], base: number): void {
  try {
    if (groups.length)
      localStorage.setItem(
        storageKey(pack),
        JSON.stringify({ groups, base } satisfies UnsentEdits),
      );
    else localStorage.removeItem(storageKey(pack));
  } catch {
    // Storage may be full or blocked. The edits are still in memory, and the save status shows it.
  }
}

export function loadUnsentEdits(pack: string): UnsentEdits {
  try {
    const stored = JSON.parse(
      localStorage.getItem(storageKey(pack)) ?? "{}",
    ) as Partial<UnsentEdits>;
    if (Array.isArray(stored.groups)) return { groups: stored.groups, base: stored.base ?? null };
  } catch {
    // The stored value is invalid.
  }
  return { groups: [], base: null };
}
