/** What the palette and the canvas agree on when a state is added. */

/** The type under which a dragged kind of state travels. */
export const KIND_TYPE = "application/x-signalbox-kind";

/** The wished id, or the first free one made from it: `step`, `step_2`, `step_3`… */
export function freeId(wish: string, taken: { has(id: string): boolean }): string {
  const stem = wish || "state";
  if (!taken.has(stem)) return stem;
  for (let number = 2; ; number += 1) if (!taken.has(`${stem}_${number}`)) return `${stem}_${number}`;
}
