import { session } from "../../../session";
import { snap, type Point } from "../../scene/geometry";
import { CARD } from "../../scene/cardSizes";
import type { Stage } from "../../view/stage";

export interface Dropped {
  source: string;
  /** null if a new state is added. */
  target: string | null;
  at: Point;
  /** The target is still to be typed. */
  asksTarget?: boolean;
  /** The id that was typed for a new state. */
  newId?: string;
}

/** Add the transition, and its target state if it is a new one. */
export function connect(stage: Stage, dropped: Dropped, label: string, newId: string | null): void {
  const { source, at } = dropped;
  const target = dropped.target ?? newId;
  if (!target) return;
  const newState = dropped.target === null ? [{ type: "add_state" as const, id: target }] : [];
  const placed = newState.length
    ? stage.moveEdits([[target, { x: at.x, y: snap(at.y - CARD.h / 2) }]])
    : [];
  const edits = [...newState, { type: "connect" as const, source, target, label }, ...placed];
  void session.edit(edits);
  session.select([newState.length ? `state:${target}` : `transition:${source}|${label}|${target}`]);
}
