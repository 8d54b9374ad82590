/**
 * What stands in an arrow's pill: branches of one stem say their value; forks and joins nothing,
 * where only the shape of the graph takes them (the bar says it); all others their label.
 */

import type { Transition } from "../../session";

export const arrowLabel = (arrow: Transition): string => {
  if (arrow.kind === "conditional" && arrow.value) return arrow.value;
  if ((arrow.kind === "fork" || arrow.kind === "join") && !arrow.event) return "";
  return arrow.label;
};
