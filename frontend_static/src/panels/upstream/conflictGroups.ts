/** Conflicts of a pull by the state or other element that has them. */

import type { PullConflict } from "../../session";

export interface ConflictGroup {
  /** "" for conflicts outside of all elements. */
  element: string;
  conflicts: PullConflict[];
}

/** States first, in the order of their first conflict; conflicts outside of all elements last. */
export function groupConflicts(conflicts: readonly PullConflict[]): ConflictGroup[] {
  const groups = new Map<string, PullConflict[]>();
  for (const conflict of conflicts) {
    const list = groups.get(conflict.element);
    if (list) list.push(conflict);
    else groups.set(conflict.element, [conflict]);
  }
  const all = [...groups].map(([element, list]) => ({ element, conflicts: list }));
  return all.sort((a, b) => rank(a.element) - rank(b.element));
}

function rank(element: string): number {
  if (element.startsWith("state:")) return 0;
  if (element.startsWith("transition:")) return 1;
  return element ? 2 : 3;
}

/** The title of a group: `state:review` is "State review". */
export function titleOf(element: string): string {
  if (!element) return "Other places";
  if (element === "pack") return "The whole pack";
  const [kind = "", ...names] = element.split(":");
  const name = names.join(":");
  if (kind === "transition") {
    const [source = "", ...rest] = name.split("|");
    return `Transition ${source} → ${rest.at(-1) ?? ""}`;
  }
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1)} ${name}`.trim();
}
