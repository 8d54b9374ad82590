/** Drag states: all that are selected, on a grid of 4 pixels, one edit when they are put down. */

import { session } from "../../../session";
import { snap, type Point, type Rect } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, Touch } from "../gesture";

/** More than these are carried as one picture instead of box by box; in the far view any are. */
const MANY = 120;

function selectedStates(stage: Stage): string[] {
  return [...session.state.selection].flatMap((element) => {
    const id = element.startsWith("state:") ? element.slice(6) : null;
    return id !== null && stage.scene.boxes.get(id)?.state ? [id] : [];
  });
}

function drag(start: Touch): Drag | null {
  if (start.hit.kind !== "state" || session.state.readOnly) return null;
  const { stage } = start;
  const grabbed = start.hit.id;
  const selected = selectedStates(stage);
  const ids = selected.includes(grabbed) ? selected : [grabbed];
  const origins = new Map(ids.map((id) => [id, origin(stage, id)]));
  const anchor = origins.get(grabbed) as Point;
  const shift = (touch: Touch): Point => ({
    x: snap(anchor.x + touch.point.x - start.point.x) - anchor.x,
    y: snap(anchor.y + touch.point.y - start.point.y) - anchor.y,
  });
  const painted = stage.mode.get().far || ids.length > MANY;
  return painted ? carry(stage, origins, shift) : slide(stage, origins, shift);
}

function origin(stage: Stage, id: string): Point {
  const box = stage.scene.boxes.get(id);
  return { x: box?.x ?? 0, y: box?.y ?? 0 };
}

type Origins = ReadonlyMap<string, Point>;
type Shift = (touch: Touch) => Point;

const shifted = (origins: Origins, by: Point): [string, Point][] =>
  [...origins].map(([id, from]) => [id, { x: from.x + by.x, y: from.y + by.y }]);

function slide(stage: Stage, origins: Origins, shift: Shift): Drag {
  return {
    move: (touch) => stage.scene.place(shifted(origins, shift(touch))),
    drop: (touch) => putDown(stage, origins, shift(touch)),
    cancel: () => stage.scene.place(origins),
  };
}

function carry(stage: Stage, origins: Origins, shift: Shift): Drag {
  const ids = new Set(origins.keys());
  const letGo = () => stage.carry.set({ ids: new Set(), dx: 0, dy: 0 });
  return {
    move(touch) {
      const by = shift(touch);
      stage.carry.set({ ids, dx: by.x, dy: by.y });
    },
    drop(touch) {
      letGo();
      putDown(stage, origins, shift(touch));
    },
    cancel: letGo,
  };
}

function putDown(stage: Stage, origins: Origins, by: Point): void {
  const places = shifted(origins, by);
  stage.scene.place(places);
  if (origins.size <= MANY) stage.scene.reroute(touched(stage, origins, by));
  if (by.x || by.y) void session.edit(stage.writeDown(places));
}

/** Where the boxes stood and where they stand now. */
function touched(stage: Stage, origins: Origins, by: Point): Rect[] {
  return [...origins].flatMap(([id, from]) => {
    const box = stage.scene.boxes.get(id);
    return box ? [{ ...box, ...from }, { ...box, x: from.x + by.x, y: from.y + by.y }] : [];
  });
}

export const move: Gesture = {
  name: "move",
  holds: ({ hit }) => hit.kind === "state",
  drag,
};
