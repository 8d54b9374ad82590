/** Arrows that leave their source or reach their target together. */

import type { Transition } from "../../session";

/**
 * Arrows of one choice or fork share a slot on the right side; branches that meet in a join share
 * one on the left.
 */
export const sharesSlot = (
  arrow: Transition,
  side: "right" | "bottom" | "left" | "top",
): boolean =>
  side === "right"
    ? arrow.kind === "conditional" || arrow.kind === "fork"
    : side === "left" && arrow.kind === "join";

/** The end at which an arrow shares a stem with others. */
export function stemEnd(arrow: Transition): "source" | "target" | null {
  if (sharesSlot(arrow, "right")) return "source";
  return sharesSlot(arrow, "left") ? "target" : null;
}
