/** Lines through the edges and centres with which dragged cards are aligned. */

import { createStore, useStore } from "zustand";
import { alignmentOf, type Guide } from "../../scene/alignment";
import { padded, union, type Point, type Rect } from "../../scene/geometry";
import type { Stage } from "../../view/stage";
import { useStage } from "../../view/stageContext";

/** Screen pixels from which a drag is pulled onto a line. */
const REACH = 6;
/** Scene distance in which other cards count. */
const NEAR = 480;

const NONE: readonly Guide[] = [];
const shown = createStore<{ guides: readonly Guide[] }>(() => ({ guides: NONE }));

export const hideGuides = (): void => shown.setState({ guides: NONE });

/**
 * The aligned shift of dragged cards along each axis; null for none. `cards` are those before the
 * drag. Alt and Ctrl switch it off.
 */
export function snapToCards(
  stage: Stage,
  cards: ReadonlyMap<string, Rect>,
  by: Point,
  { altKey, ctrlKey, metaKey }: MouseEvent,
): { x: number | null; y: number | null } {
  const frame = union(cards.values());
  if (altKey || ctrlKey || metaKey || !frame) {
    show(NONE);
    return { x: null, y: null };
  }
  const dragged = { ...frame, x: frame.x + by.x, y: frame.y + by.y };
  const { cards: all, cardIndex } = stage.scene;
  const near = cardIndex.query(padded(dragged, NEAR)).flatMap((id) => {
    const card = cards.has(id) ? undefined : all.get(id);
    return card?.state ? [card] : [];
  });
  const { x, y, guides } = alignmentOf(dragged, near, REACH / stage.view.getState().zoom);
  show(guides);
  return { x: x === null ? null : by.x + x, y: y === null ? null : by.y + y };
}

function show(guides: readonly Guide[]): void {
  if (guides.length || shown.getState().guides.length) shown.setState({ guides });
}

export function Guides() {
  const stage = useStage();
  const guides = useStore(shown, (state) => state.guides);
  const { x, y, zoom } = useStore(stage.view, (view) => view);
  if (!guides.length) return null;
  const at = (point: Point) => `${point.x * zoom + x} ${point.y * zoom + y}`;
  return (
    <svg className="alignment-guides" aria-hidden>
      {guides.map(({ from, to }) => (
        <path key={`${from.x} ${from.y} ${to.x}`} d={`M${at(from)}L${at(to)}`} />
      ))}
    </svg>
  );
}
