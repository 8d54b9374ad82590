/** Unsent edits in the browser's own storage: a closed tab or a dead server loses none of them. */

import type { Edit } from "../api";

const name = (pack: string) => `signalbox.unsent.${pack}`;

export interface Kept {
  groups: Edit[][];
  /** The revision they were made on; null: unknown. */
  base: number | null;
}

export function keep(pack: string, groups: Edit[][], base: number): void {
  try {
    if (groups.length) localStorage.setItem(name(pack), JSON.stringify({ groups, base } satisfies Kept));
    else localStorage.removeItem(name(pack));
  } catch {
    // Storage may be full or forbidden; the edits are still in memory and the save state says so.
  }
}

export function kept(pack: string): Kept {
  try {
    const found = JSON.parse(localStorage.getItem(name(pack)) ?? "{}") as Partial<Kept>;
    if (Array.isArray(found.groups)) return { groups: found.groups, base: found.base ?? null };
  } catch {
    // What is kept there is not ours.
  }
  return { groups: [], base: null };
}
