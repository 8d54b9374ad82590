/** Unsent edits in the browser's own storage: a closed tab or a dead server loses none of them. */

import type { Edit } from "../api";

const storageKey = (pack: string) => `signalbox.unsent.${pack}`;

export interface UnsentEdits {
  groups: Edit[][];
  /** The revision they were made on; null: unknown. */
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
    // Storage may be full or forbidden; the edits are still in memory and the save state says so.
  }
}

export function loadUnsentEdits(pack: string): UnsentEdits {
  try {
    const stored = JSON.parse(
      localStorage.getItem(storageKey(pack)) ?? "{}",
    ) as Partial<UnsentEdits>;
    if (Array.isArray(stored.groups)) return { groups: stored.groups, base: stored.base ?? null };
  } catch {
    // What is kept there is not ours.
  }
  return { groups: [], base: null };
}
