/** Commands: arrow keys select the next state in a direction; with Alt they follow transitions. */

import { session, type Command } from "../../../session";
import type { Card } from "../../scene/card";
import { covers, middle, padded, type Point } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

type Direction = "Left" | "Right" | "Up" | "Down";
const UNIT: Record<Direction, Point> = {
  Left: { x: -1, y: 0 },
  Right: { x: 1, y: 0 },
  Up: { x: 0, y: -1 },
  Down: { x: 0, y: 1 },
};

function current(stage: Stage): Card | undefined {
  const element = session.state.element;
  if (element.startsWith("state:")) return stage.scene.cards.get(element.slice(6));
  const arrow = stage.scene.arrows.get(element.slice("transition:".length));
  return arrow && stage.scene.cards.get(arrow.source);
}

/** The nearest state in a direction. Distance across the direction counts double. */
function nextCard(stage: Stage, from: Card, direction: Direction): Card | null {
  const [unit, start] = [UNIT[direction], middle(from)];
  let [best, nearest] = [Infinity, null as Card | null];
  for (const card of stage.scene.cards.values()) {
    if (!card.state || card.id === from.id) continue;
    const to = middle(card);
    const ahead = (to.x - start.x) * unit.x + (to.y - start.y) * unit.y;
    const aside = Math.abs((to.x - start.x) * unit.y) + Math.abs((to.y - start.y) * unit.x);
    if (ahead < 8 || aside > ahead * 3) continue;
    const cost = ahead + 2 * aside;
    if (cost < best) [best, nearest] = [cost, card];
  }
  return nearest;
}

function go(stage: Stage, card: Card | null | undefined): void {
  if (!card) return;
  session.select([`state:${card.id}`]);
  reveal(stage, card);
}

/** Scroll a card into the viewport if it is outside. */
function reveal(stage: Stage, card: Card): void {
  if (!covers(stage.visible(-24), padded(card, 4))) stage.centerOn(middle(card));
}

function step(stage: Stage, direction: Direction): void {
  const from = current(stage);
  if (from) return go(stage, nextCard(stage, from, direction));
  const start =
    session.state.graph.entries[0]?.state ?? session.state.graph.states.keys().next().value;
  go(stage, start === undefined ? null : stage.scene.cards.get(start));
}

/**
 * Right goes along the selected arrow, left goes back along one that leads here, up and down choose
 * another arrow.
 */
function follow(stage: Stage, direction: Direction): void {
  const { element } = session.state;
  const selectedArrow = element.startsWith("transition:") ? element.slice(11) : null;
  const from = current(stage);
  if (!from) return step(stage, direction);
  const touching = [...stage.scene.arrowsOf(from.id)].flatMap(
    (id) => stage.scene.arrows.get(id) ?? [],
  );
  const out = touching.filter((arrow) => arrow.source === from.id);
  if (direction === "Left") {
    const into = touching.find((arrow) => arrow.target === from.id && arrow.source !== from.id);
    return go(stage, selectedArrow !== null ? from : into && stage.scene.cards.get(into.source));
  }
  if (direction === "Right") {
    const arrow = out.find((one) => one.id === selectedArrow) ?? out[0];
    return go(stage, arrow && stage.scene.cards.get(arrow.target));
  }
  if (!out.length) return undefined;
  const at = out.findIndex((arrow) => arrow.id === selectedArrow);
  const next = out[(at + (direction === "Down" ? 1 : out.length - (at < 0 ? 0 : 1))) % out.length];
  if (next) session.select([`transition:${next.id}`]);
  return undefined;
}

export const navigateGesture: Gesture = {
  name: "walk",
  commands: (stage) =>
    (Object.keys(UNIT) as Direction[]).flatMap((direction): Command[] => [
      {
        name: `go.${direction.toLowerCase()}`,
        title: `Go to the state ${direction === "Up" ? "above" : direction === "Down" ? "below" : `on the ${direction.toLowerCase()}`}`,
        group: "Go",
        keys: [`Arrow${direction}`],
        run: () => step(stage, direction),
      },
      {
        name: `follow.${direction.toLowerCase()}`,
        title:
          direction === "Right"
            ? "Follow an arrow"
            : direction === "Left"
              ? "Go back along an arrow"
              : `Choose the ${direction === "Up" ? "previous" : "next"} arrow out`,
        group: "Go",
        keys: [`Alt+Arrow${direction}`],
        run: () => follow(stage, direction),
      },
    ]),
};
