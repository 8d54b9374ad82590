/**
 * Gesture: drag the selected states on a grid of 4 pixels, or where they align with cards near
 * them. The drop is one edit.
 */

import { session } from "../../../session";
import { snap, type Point, type Rect } from "../../scene/geometry";
import { Guides, hideGuides, snapToCards } from "./guides";
import type { Stage } from "../../view/stage";
import type { Drag, Gesture, PointerInput } from "../gesture";

/** More states are dragged as one picture. In the far view, any number is. */
const MAX_MOVED_AS_CARDS = 120;

function selectedStates(stage: Stage): string[] {
  return [...session.state.selection].flatMap((element) => {
    const id = element.startsWith("state:") ? element.slice(6) : null;
    return id !== null && stage.scene.cards.get(id)?.state ? [id] : [];
  });
}

function drag(start: PointerInput): Drag | null {
  if (start.hit.kind !== "state" || session.state.readOnly) return null;
  const { stage } = start;
  const grabbed = start.hit.id;
  const selected = selectedStates(stage);
  const ids = selected.includes(grabbed) ? selected : [grabbed];
  const origins = new Map(ids.map((id) => [id, origin(stage, id)]));
  const anchor = origins.get(grabbed) as Point;
  const dragged = ({ point }: PointerInput): Point => ({
    x: point.x - start.point.x,
    y: point.y - start.point.y,
  });
  const onGrid = (by: Point): Point => ({
    x: snap(anchor.x + by.x) - anchor.x,
    y: snap(anchor.y + by.y) - anchor.y,
  });
  if (stage.mode.getState().far || ids.length > MAX_MOVED_AS_CARDS)
    return carryAsPicture(stage, origins, (touch) => onGrid(dragged(touch)));
  const rects = new Map(ids.flatMap((id) => rectsOf(stage, id)));
  return moveCards(stage, origins, (touch, overArrow) => {
    const by = dragged(touch);
    const grid = onGrid(by);
    if (overArrow) hideGuides();
    const aligned = overArrow ? grid : snapToCards(stage, rects, by, touch.event);
    return { x: aligned.x ?? grid.x, y: aligned.y ?? grid.y };
  });
}

function origin(stage: Stage, id: string): Point {
  const card = stage.scene.cards.get(id);
  return { x: card?.x ?? 0, y: card?.y ?? 0 };
}

/** The card as it is when the drag begins. */
function rectsOf(stage: Stage, id: string): [string, Rect][] {
  const card = stage.scene.cards.get(id);
  return card ? [[id, { x: card.x, y: card.y, w: card.w, h: card.h }]] : [];
}

type Origins = ReadonlyMap<string, Point>;
/** The shift of a drag. Over an arrow that takes the card, nothing else pulls it. */
type Shift = (touch: PointerInput, overArrow: boolean) => Point;

const shifted = (origins: Origins, by: Point): [string, Point][] =>
  [...origins].map(([id, from]) => [id, { x: from.x + by.x, y: from.y + by.y }]);

function moveCards(stage: Stage, origins: Origins, shift: Shift): Drag {
  const alone = unconnectedState(stage, origins);
  const arrowUnder = ({ event }: PointerInput) =>
    alone === null ? null : stage.markInsertion(event.clientX, event.clientY, alone);
  const end = () => {
    hideGuides();
    stage.insertion.setState({ over: null });
  };
  return {
    move(touch) {
      const arrow = arrowUnder(touch);
      stage.scene.movePreview(shifted(origins, shift(touch, arrow !== null)));
    },
    drop(touch) {
      const arrow = arrowUnder(touch);
      const by = shift(touch, arrow !== null);
      end();
      if (arrow === null || alone === null) putDown(stage, origins, by);
      else dropOnArrow(stage, alone, arrow, origins, by);
    },
    cancel() {
      end();
      stage.scene.movePreview(origins);
    },
  };
}

/** The dragged state if it is a single one without arrows: it can be inserted into an arrow. */
function unconnectedState(stage: Stage, origins: Origins): string | null {
  const [id, ...others] = origins.keys();
  if (id === undefined || others.length || [...stage.scene.arrowsOf(id)].length) return null;
  return stage.scene.cards.get(id)?.state?.stateless === false ? id : null;
}

/** The insertion asks for its event first. Until then the card is only shown at its place. */
function dropOnArrow(stage: Stage, id: string, arrow: string, origins: Origins, drop: Point): void {
  const by = besideOthers(stage, origins, drop);
  const [[, at]] = shifted(origins, by) as [[string, Point]];
  stage.scene.movePreview([[id, at]]);
  const from = origins.get(id) as Point;
  stage.insertion.setState({ dropped: { arrow, at, card: { id, from } } });
}

function carryAsPicture(
  stage: Stage,
  origins: Origins,
  shift: (touch: PointerInput) => Point,
): Drag {
  const ids = new Set(origins.keys());
  const letGo = () => stage.carry.setState({ ids: new Set(), dx: 0, dy: 0 });
  return {
    move(touch) {
      const by = shift(touch);
      stage.carry.setState({ ids, dx: by.x, dy: by.y });
    },
    drop(touch) {
      letGo();
      putDown(stage, origins, shift(touch));
    },
    cancel: letGo,
  };
}

function putDown(stage: Stage, origins: Origins, drop: Point): void {
  const by = drop.x || drop.y ? besideOthers(stage, origins, drop) : drop;
  const places = shifted(origins, by);
  stage.scene.movePreview(places);
  if (origins.size <= MAX_MOVED_AS_CARDS) stage.scene.reroute(affectedAreas(stage, origins, by));
  if (by.x || by.y) void session.edit(stage.moveEdits(places));
}

/** The shift to the nearest place at which no dropped card covers another. */
function besideOthers(stage: Stage, origins: Origins, by: Point): Point {
  const dropped = shifted(origins, by).flatMap(([id, place]) => {
    const card = stage.scene.cards.get(id);
    return card ? [{ ...place, w: card.w, h: card.h }] : [];
  });
  const more = stage.scene.shiftToFree(dropped, new Set(origins.keys()));
  return { x: by.x + more.x, y: by.y + more.y };
}

/** The areas of the states before and after the drag. */
function affectedAreas(stage: Stage, origins: Origins, by: Point): Rect[] {
  return [...origins].flatMap(([id, from]) => {
    const card = stage.scene.cards.get(id);
    return card
      ? [
          { ...card, ...from },
          { ...card, x: from.x + by.x, y: from.y + by.y },
        ]
      : [];
  });
}

export const moveGesture: Gesture = {
  name: "move",
  holds: ({ hit }) => hit.kind === "state",
  drag,
  Layer: Guides,
};
