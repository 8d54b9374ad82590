/**
 * Gesture: click to select, with Shift or Ctrl to add; drag with Shift to select in a rectangle.
 */

import { useRef } from "react";
import { createStore, useStore } from "zustand";
import { commandEntry, session } from "../../../session";
import { rectBetween, overlaps, type Point, type Rect } from "../../scene/geometry";
import { useStage } from "../../view/stageContext";
import type { Hit } from "../../view/hitTest";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, PointerInput } from "../gesture";

const selectionBox = createStore<{ rect: Rect | null }>(() => ({ rect: null }));

const elementOf = (hit: Hit): string | null => {
  if (hit.kind === "state") return `state:${hit.id}`;
  if (hit.kind === "transition") return `transition:${hit.id}`;
  return null;
};

const isAdding = (event: MouseEvent) => event.shiftKey || event.ctrlKey || event.metaKey;

/** Select an unselected element on press, so that a drag moves it too. */
function down({ event, hit }: PointerInput): void {
  const element = elementOf(hit);
  if (!element || session.state.selection.has(element)) return;
  session.select(isAdding(event) ? [...session.state.selection, element] : [element], element);
  justAdded = isAdding(event) ? element : null;
}

let justAdded: string | null = null;

function click({ event, hit }: PointerInput): void {
  const element = elementOf(hit);
  const { selection } = session.state;
  if (!element) {
    if (hit.kind === "empty" && !isAdding(event)) session.select([]);
    return;
  }
  if (!isAdding(event)) session.select([element], element);
  else if (element !== justAdded) session.select([...selection].filter((one) => one !== element));
  justAdded = null;
}

function drag(start: PointerInput): Drag | null {
  if (start.hit.kind !== "empty" || !start.event.shiftKey) return null;
  const before = session.state.selection;
  return {
    move({ stage, point }) {
      const rect = rectBetween(start.point, point);
      selectionBox.setState({ rect });
      session.select([...before, ...elementsIn(stage, rect)]);
    },
    drop: () => selectionBox.setState({ rect: null }),
    cancel() {
      selectionBox.setState({ rect: null });
      session.select(before);
    },
  };
}

/** The states that touch the rectangle, or else the arrows whose label is in it. */
function elementsIn(stage: Stage, rect: Rect): string[] {
  const { scene } = stage;
  const states = scene.cardIndex
    .query(rect)
    .filter((id) => scene.cards.get(id)?.state)
    .map((id) => `state:${id}`);
  if (states.length) return states;
  const within = (point: Point | undefined) =>
    point && overlaps(rect, { x: point.x, y: point.y, w: 1, h: 1 });
  return scene.arrowIndex
    .query(rect)
    .filter((id) => within(scene.route(id)?.label))
    .map((id) => `transition:${id}`);
}

function Layer() {
  const stage = useStage();
  const rect = useStore(selectionBox, (value) => value.rect);
  const view = useStore(stage.view, (value) => value);
  const place = useRef<HTMLDivElement>(null);
  if (!rect) return null;
  const { x, y, zoom } = view;
  return (
    <div
      ref={place}
      className="select-box"
      style={{
        transform: `translate(${rect.x * zoom + x}px, ${rect.y * zoom + y}px)`,
        width: rect.w * zoom,
        height: rect.h * zoom,
      }}
    />
  );
}

export const selectGesture: Gesture = {
  name: "select",
  holds: ({ hit, event }) => hit.kind !== "empty" || event.shiftKey,
  down,
  click,
  drag,
  Layer,
  menu: ({ kind }) => (kind === "ground" ? commandEntry("select.all", "view") : []),
  commands: (stage) => [
    {
      name: "select.all",
      title: "Select all states",
      group: "Select",
      keys: ["Ctrl+A"],
      run: () =>
        session.select(
          [...stage.scene.cards.values()].flatMap((card) => (card.state ? `state:${card.id}` : [])),
        ),
    },
    {
      name: "select.none",
      title: "Select nothing",
      group: "Select",
      keys: ["Escape"],
      possible: () => session.state.selection.size > 0,
      run: () => session.select([]),
    },
  ],
};
