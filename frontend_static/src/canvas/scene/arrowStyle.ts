/** Which kinds of arrow are drawn dashed, near and far: those that are not the ordinary way on. */

import type { Transition } from "../../session";

const DASHED: ReadonlySet<Transition["kind"]> = new Set(["redirect", "fallback", "report"]);

export const isDashed = (arrow: Transition): boolean => DASHED.has(arrow.kind);
