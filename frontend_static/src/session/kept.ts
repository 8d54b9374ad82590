/** Unsent edits in the browser's own storage: a closed tab or a dead server loses none of them. */

import type { Edit } from "../api";

const name = (pack: string) => `signalbox.unsent.${pack}`;

export function keep(pack: string, groups: Edit[][]): void {
  try {
    if (groups.length) localStorage.setItem(name(pack), JSON.stringify(groups));
    else localStorage.removeItem(name(pack));
  } catch {
    // Storage may be full or forbidden; the edits are still in memory and the save state says so.
  }
}

export function kept(pack: string): Edit[][] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(name(pack)) ?? "[]");
    return Array.isArray(found) ? (found as Edit[][]) : [];
  } catch {
    return [];
  }
}
