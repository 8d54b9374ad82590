/** The bar where parallel branches part or join. */

import type { Transition } from "../../session";
import type { Route } from "./arrowPath";
import type { Rect } from "./geometry";

const LONG = 32;
const THICK = 5;

/** The bar at the stem of a fork or join, or null: arrows of one choice have a dot there. */
export function stemBar(arrow: Transition, route: Route): Rect | null {
  const at = route.stem;
  if (!at || (arrow.kind !== "fork" && arrow.kind !== "join")) return null;
  const [w, h] = isUpright(arrow, route) ? [LONG, THICK] : [THICK, LONG];
  return { x: at.x - w / 2, y: at.y - h / 2, w, h };
}

/** True where the arrow runs up or down at its stem, so that the bar lies across it. */
function isUpright({ kind }: Transition, { points }: Route): boolean {
  const [a, b] = kind === "join" ? [points.at(-2), points.at(-1)] : [points[0], points[1]];
  return !!a && !!b && Math.abs(b.y - a.y) > Math.abs(b.x - a.x);
}
