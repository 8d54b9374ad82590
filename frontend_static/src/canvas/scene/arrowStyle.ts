/**
 * Kinds of transitions with a dashed line, in both views: all that are not part of the normal flow.
 */

import type { Transition } from "../../session";

const DASHED: ReadonlySet<Transition["kind"]> = new Set(["redirect", "fallback", "report"]);

export const isDashed = (arrow: Transition): boolean => DASHED.has(arrow.kind);

/** A line that was taken more often is thicker, up to a limit. */
export const lineWidth = (visits: number | undefined): number =>
  visits === undefined ? 1.5 : Math.min(5, 1.75 + Math.log2(visits) * 0.6);
