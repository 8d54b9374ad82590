/** Commands: Shift and an arrow key move the selected states. Presses in a row become one edit. */

import { session, type Command } from "../../../session";
import { SNAP, type Point } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import type { Gesture } from "../gesture";

const PAUSE_MS = 500;
const FAR_STEP = 10;
const DIRECTIONS: Record<string, Point> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

let timer: ReturnType<typeof setTimeout> | undefined;
const pendingPositions = new Map<string, Point>();

function nudge(stage: Stage, direction: Point, step: number): void {
  const places: [string, Point][] = [];
  for (const element of session.state.selection) {
    const card = element.startsWith("state:") ? stage.scene.cards.get(element.slice(6)) : null;
    if (!card) continue;
    const place = { x: card.x + direction.x * step, y: card.y + direction.y * step };
    places.push([card.id, place]);
    pendingPositions.set(card.id, place);
  }
  stage.scene.movePreview(places);
  clearTimeout(timer);
  timer = setTimeout(() => send(stage), PAUSE_MS);
}

function send(stage: Stage): void {
  const places = [...pendingPositions];
  pendingPositions.clear();
  void session.edit(stage.moveEdits(places));
}

const possible = () =>
  !session.state.readOnly &&
  [...session.state.selection].some((element) => element.startsWith("state:"));

export const nudgeGesture: Gesture = {
  name: "nudge",
  commands: (stage) =>
    Object.entries(DIRECTIONS).flatMap(([key, direction]): Command[] => {
      const side = key.slice(5).toLowerCase();
      return [
        {
          name: `nudge.${side}`,
          title: `Nudge ${side}`,
          group: "Edit",
          keys: [`Shift+${key}`],
          possible,
          run: () => nudge(stage, direction, SNAP),
        },
        {
          name: `nudge.${side}.far`,
          title: `Nudge ${side} by 40`,
          group: "Edit",
          keys: [`Ctrl+Shift+${key}`],
          possible,
          run: () => nudge(stage, direction, SNAP * FAR_STEP),
        },
      ];
    }),
};
