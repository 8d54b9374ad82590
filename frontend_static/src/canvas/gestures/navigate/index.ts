/** Arrow keys go to the next card that way; with Alt they follow arrows instead. */

import { session, type Command } from "../../../session";
import type { Box } from "../../scene/box";
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

function current(stage: Stage): Box | undefined {
  const element = session.state.element;
  if (element.startsWith("state:")) return stage.scene.boxes.get(element.slice(6));
  const arrow = stage.scene.arrows.get(element.slice("transition:".length));
  return arrow && stage.scene.boxes.get(arrow.source);
}

/** The nearest card that way, where a step aside counts double. */
function nextBox(stage: Stage, from: Box, way: Direction): Box | null {
  const [unit, start] = [UNIT[way], middle(from)];
  let [best, found] = [Infinity, null as Box | null];
  for (const box of stage.scene.boxes.values()) {
    if (!box.state || box.id === from.id) continue;
    const to = middle(box);
    const ahead = (to.x - start.x) * unit.x + (to.y - start.y) * unit.y;
    const aside = Math.abs((to.x - start.x) * unit.y) + Math.abs((to.y - start.y) * unit.x);
    if (ahead < 8 || aside > ahead * 3) continue;
    const cost = ahead + 2 * aside;
    if (cost < best) [best, found] = [cost, box];
  }
  return found;
}

function go(stage: Stage, box: Box | null | undefined): void {
  if (!box) return;
  session.select([`state:${box.id}`]);
  reveal(stage, box);
}

/** Bring a card into the window if it is not; otherwise nothing moves. */
function reveal(stage: Stage, box: Box): void {
  if (!covers(stage.visible(-24), padded(box, 4))) stage.centerOn(middle(box));
}

function step(stage: Stage, way: Direction): void {
  const from = current(stage);
  if (from) return go(stage, nextBox(stage, from, way));
  const start = session.state.graph.entries[0]?.state ?? session.state.graph.states.keys().next().value;
  go(stage, start === undefined ? null : stage.scene.boxes.get(start));
}

/** Right: along the chosen arrow. Left: back along one that leads here. Up and down choose. */
function follow(stage: Stage, way: Direction): void {
  const { element } = session.state;
  const chosen = element.startsWith("transition:") ? element.slice(11) : null;
  const from = current(stage);
  if (!from) return step(stage, way);
  const touching = [...stage.scene.arrowsOf(from.id)].flatMap((id) => stage.scene.arrows.get(id) ?? []);
  const out = touching.filter((arrow) => arrow.source === from.id);
  if (way === "Left") {
    const into = touching.find((arrow) => arrow.target === from.id && arrow.source !== from.id);
    return go(stage, chosen !== null ? from : into && stage.scene.boxes.get(into.source));
  }
  if (way === "Right") {
    const arrow = out.find((one) => one.id === chosen) ?? out[0];
    return go(stage, arrow && stage.scene.boxes.get(arrow.target));
  }
  if (!out.length) return undefined;
  const at = out.findIndex((arrow) => arrow.id === chosen);
  const next = out[(at + (way === "Down" ? 1 : out.length - (at < 0 ? 0 : 1))) % out.length];
  if (next) session.select([`transition:${next.id}`]);
  return undefined;
}

export const navigateGesture: Gesture = {
  name: "walk",
  commands: (stage) =>
    (Object.keys(UNIT) as Direction[]).flatMap((way): Command[] => [
      {
        name: `go.${way.toLowerCase()}`,
        title: `Go to the state ${way === "Up" ? "above" : way === "Down" ? "below" : `on the ${way.toLowerCase()}`}`,
        group: "Go",
        keys: [`Arrow${way}`],
        run: () => step(stage, way),
      },
      {
        name: `follow.${way.toLowerCase()}`,
        title:
          way === "Right"
            ? "Follow an arrow"
            : way === "Left"
              ? "Go back along an arrow"
              : `Choose the ${way === "Up" ? "previous" : "next"} arrow out`,
        group: "Go",
        keys: [`Alt+Arrow${way}`],
        run: () => follow(stage, way),
      },
    ]),
};
