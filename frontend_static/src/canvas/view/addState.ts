import { draftState } from "../../session";
import { snap, type Point } from "../scene/geometry";
import { CARD } from "../scene/cardSizes";
import type { Stage } from "./stage";

/** Draw a new state centred on this point or at the nearest free place, and ask for its name. */
export function addState(stage: Stage, kind: string, id: string, at: Point): void {
  const place = freePlace(stage, at);
  draftState(id, kind, (name) => [{ type: "move", positions: { [name]: [place.x, place.y] } }]);
}

/** The top left corner of a card that is centred on this point or at the nearest free place. */
export function freePlace(stage: Stage, at: Point): Point {
  const wanted = { x: snap(at.x - CARD.w / 2), y: snap(at.y - CARD.h / 2) };
  const shift = stage.scene.shiftToFree([{ ...wanted, ...CARD }]);
  return { x: wanted.x + shift.x, y: wanted.y + shift.y };
}
