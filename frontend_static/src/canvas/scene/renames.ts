/** The states and arrows that have another id in a newer graph, so that the drawing keeps them. */

import type { GraphMaps } from "../../session";

export interface Renames {
  /** Old id → new id. */
  states: ReadonlyMap<string, string>;
  arrows: ReadonlyMap<string, string>;
}

export function renamesBetween(before: GraphMaps, after: GraphMaps): Renames {
  const states = renamedStates(before, after);
  return { states, arrows: renamedArrows(before, after, states) };
}

/** The removed and the added states are the same ones if their numbers and kinds are equal. */
function renamedStates(before: GraphMaps, after: GraphMaps): Map<string, string> {
  const removed = [...before.states.values()].filter(({ id }) => !after.states.has(id));
  const added = [...after.states.values()].filter(({ id }) => !before.states.has(id));
  const isSame =
    removed.length === added.length &&
    removed.every((state, index) => state.kind === added[index]?.kind);
  return new Map(isSame ? removed.map(({ id }, index) => [id, added[index]?.id ?? id]) : []);
}

/** Arrows with the same ends: those with the same label, and then the others in their order. */
function renamedArrows(
  before: GraphMaps,
  after: GraphMaps,
  states: ReadonlyMap<string, string>,
): Map<string, string> {
  const added = new Map<string, { id: string; label: string }[]>();
  for (const arrow of after.transitions.values())
    if (!before.transitions.has(arrow.id)) {
      const ends = `${arrow.source}|${arrow.target}`;
      added.set(ends, [...(added.get(ends) ?? []), arrow]);
    }
  const arrows = new Map<string, string>();
  if (!added.size) return arrows;
  const renamed = (id: string) => states.get(id) ?? id;
  const removed = [...before.transitions.values()]
    .filter(({ id }) => !after.transitions.has(id))
    .map((arrow) => ({ ...arrow, ends: `${renamed(arrow.source)}|${renamed(arrow.target)}` }));
  for (const keepsLabel of [true, false])
    for (const { id, label, ends } of removed) {
      if (arrows.has(id)) continue;
      const candidates = added.get(ends) ?? [];
      const at = keepsLabel ? candidates.findIndex((one) => one.label === label) : 0;
      const [match] = at < 0 ? [] : candidates.splice(at, 1);
      if (match) arrows.set(id, match.id);
    }
  return arrows;
}
