/** Ids and kinds of new states, for the palette and the canvas. */

import type { PaletteItem } from "../api";
import { idPrefix } from "./canvasLevels";
import type { GraphMaps } from "./state";

/** The MIME type of a state kind that is dragged from the palette. */
export const STATE_KIND_MIME = "application/x-signalbox-kind";

/**
 * The wanted id, or the first free variant of it: `step`, `step_2`, `step_3`. An id with hyphens
 * gets a hyphen: `new-stage-2`.
 */
export function freeId(wanted: string, used: { has(id: string): boolean }): string {
  const stem = wanted || "state";
  const joint = stem.includes("-") && !stem.includes("_") ? "-" : "_";
  let id = stem;
  for (let number = 2; used.has(id); number += 1) id = `${stem}${joint}${number}`;
  return id;
}

/** A free id for a new state on the shown level. */
export function newStateId(wanted: string, state: { level: string; fullGraph: GraphMaps }): string {
  return freeId(`${idPrefix(state.level)}${wanted || "state"}`, state.fullGraph.states);
}

/** The kinds of states that can be added on the shown level. */
export function paletteOf(state: {
  level: string;
  palette: readonly PaletteItem[];
}): PaletteItem[] {
  const kind = state.level.slice(0, Math.max(0, state.level.indexOf(":")));
  return state.palette.filter((item) => item.level === kind);
}
