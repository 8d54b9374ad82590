/** What the palette and the canvas agree on when a state is added. */

import type { PaletteItem } from "../api";
import { idPrefix } from "./canvasLevels";
import type { GraphMaps } from "./state";

/** The type under which a dragged kind of state travels. */
export const STATE_KIND_MIME = "application/x-signalbox-kind";

/** The wished id, or the first free one made from it: `step`, `step_2`, `step_3`… A wish with
    hyphens goes on with one: `new-stage-2`. */
export function freeId(wanted: string, used: { has(id: string): boolean }): string {
  const stem = wanted || "state";
  const joint = stem.includes("-") && !stem.includes("_") ? "-" : "_";
  let id = stem;
  for (let number = 2; used.has(id); number += 1) id = `${stem}${joint}${number}`;
  return id;
}

/** A free id for a new box on the level that is shown. */
export function newStateId(wanted: string, state: { level: string; fullGraph: GraphMaps }): string {
  return freeId(`${idPrefix(state.level)}${wanted || "state"}`, state.fullGraph.states);
}

/** What can be added on the level that is shown. */
export function paletteOf(state: {
  level: string;
  palette: readonly PaletteItem[];
}): PaletteItem[] {
  const kind = state.level.slice(0, Math.max(0, state.level.indexOf(":")));
  return state.palette.filter((item) => item.level === kind);
}
