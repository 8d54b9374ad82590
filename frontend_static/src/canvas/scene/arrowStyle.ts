/**
 * Kinds of transitions with a dashed line, in both views: all that are not part of the normal flow.
 */

import type { Transition } from "../../session";

const DASHED: ReadonlySet<Transition["kind"]> = new Set(["redirect", "fallback", "report"]);

export const isDashed = (arrow: Transition): boolean => DASHED.has(arrow.kind);
