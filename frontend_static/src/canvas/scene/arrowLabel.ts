/**
 * The label on an arrow. Branches of one choice show their value; forks and joins without an event
 * show none, because the bar marks them; all others show their label.
 */

import type { Transition } from "../../session";

export const arrowLabel = (arrow: Transition): string => {
  if (arrow.kind === "conditional" && arrow.value) return arrow.value;
  if ((arrow.kind === "fork" || arrow.kind === "join") && !arrow.event) return "";
  return arrow.label;
};
