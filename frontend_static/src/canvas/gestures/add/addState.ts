import { session } from "../../../session";
import { snap, type Point } from "../../scene/geometry";
import { CARD } from "../../scene/cardSizes";
import type { Stage } from "../../view/stage";

/** Add a state centred on this point. */
export function addState(stage: Stage, kind: string, id: string, at: Point): void {
  const place = { x: snap(at.x - CARD.w / 2), y: snap(at.y - CARD.h / 2) };
  void session.edit([{ type: "add_state", id, kind }, ...stage.moveEdits([[id, place]])]);
  session.select([`state:${id}`]);
}
