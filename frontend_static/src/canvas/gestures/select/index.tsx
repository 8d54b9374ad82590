/**
 * Gesture: click to select, with Shift or Ctrl to add; drag with Shift to select in a rectangle.
 */

import { useRef } from "react";
import { createStore, useStore } from "../../../ui/store";
import { session } from "../../../session";
import { rectBetween, overlaps, type Point, type Rect } from "../../scene/geometry";
import { useStage } from "../../view/stageContext";
import type { Hit } from "../../view/hitTest";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, PointerInput } from "../gesture";

const selectionBox = createStore<{ box: Rect | null }>({ box: null });

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
      const box = rectBetween(start.point, point);
      selectionBox.set({ box });
      session.select([...before, ...elementsIn(stage, box)]);
    },
    drop: () => selectionBox.set({ box: null }),
    cancel() {
      selectionBox.set({ box: null });
      session.select(before);
    },
  };
}

/** The states that touch the rectangle, or else the arrows whose label lies in it. */
function elementsIn(stage: Stage, box: Rect): string[] {
  const { scene } = stage;
  const states = scene.boxIndex
    .query(box)
    .filter((id) => scene.boxes.get(id)?.state)
    .map((id) => `state:${id}`);
  if (states.length) return states;
  const within = (point: Point | undefined) =>
    point && overlaps(box, { x: point.x, y: point.y, w: 1, h: 1 });
  return scene.arrowIndex
    .query(box)
    .filter((id) => within(scene.route(id)?.label))
    .map((id) => `transition:${id}`);
}

function Layer() {
  const stage = useStage();
  const box = useStore(selectionBox, (value) => value.box);
  const view = useStore(stage.view, (value) => value);
  const place = useRef<HTMLDivElement>(null);
  if (!box) return null;
  const { x, y, zoom } = view;
  return (
    <div
      ref={place}
      className="select-box"
      style={{
        transform: `translate(${box.x * zoom + x}px, ${box.y * zoom + y}px)`,
        width: box.w * zoom,
        height: box.h * zoom,
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
  commands: (stage) => [
    {
      name: "select.all",
      title: "Select all states",
      group: "Select",
      keys: ["Ctrl+A"],
      run: () =>
        session.select(
          [...stage.scene.boxes.values()].flatMap((box) => (box.state ? `state:${box.id}` : [])),
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
