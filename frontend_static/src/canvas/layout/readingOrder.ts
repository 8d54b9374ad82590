/** States in reading order: breadth first from the first state, then the rest. */

import type { LayoutArrow, LayoutCard, LayoutTask } from "./layoutTask";

export interface ReadingOrder {
  order: string[];
  /** Number of steps from the nearest start. */
  depth: Map<string, number>;
}

function targetsOf(arrows: LayoutArrow[]): Map<string, string[]> {
  const targets = new Map<string, string[]>();
  for (const arrow of arrows) {
    const list = targets.get(arrow.source);
    if (list) list.push(arrow.target);
    else targets.set(arrow.source, [arrow.target]);
  }
  return targets;
}

export function readingOrder(task: LayoutTask): ReadingOrder {
  const ids = new Set(task.cards.map((card) => card.id));
  const arrows = task.arrows.filter((arrow) => ids.has(arrow.target) && ids.has(arrow.source));
  const after = targetsOf(arrows);
  const before = targetsOf(
    arrows.map((arrow) => ({ ...arrow, source: arrow.target, target: arrow.source })),
  );
  const reading: ReadingOrder = { order: [], depth: new Map() };
  for (const card of startsFirst(task)) {
    if (reading.depth.has(card.id)) continue;
    const from = reading.order.length;
    append(reading, card.id, 0);
    explore(reading, from, after, new Map());
    explore(reading, from, after, before);
  }
  return reading;
}

function append({ order, depth }: ReadingOrder, id: string, at: number): void {
  depth.set(id, at);
  order.push(id);
}

type Links = ReadonlyMap<string, string[]>;

/**
 * Append everything reachable from the states after `from`. Successors come one step later; states
 * that only lead here come one step earlier, because no run reaches them and they
 * are placed next to their target.
 */
function explore(reading: ReadingOrder, from: number, after: Links, before: Links): void {
  for (let index = from; index < reading.order.length; index += 1) {
    const id = reading.order[index] as string;
    const at = reading.depth.get(id) as number;
    for (const next of after.get(id) ?? [])
      if (!reading.depth.has(next)) append(reading, next, at + 1);
    for (const previous of before.get(id) ?? [])
      if (!reading.depth.has(previous)) append(reading, previous, Math.max(0, at - 1));
  }
}

/** The first state, then states without incoming arrows, then the rest. */
function startsFirst(task: LayoutTask): LayoutCard[] {
  const entered = new Set(
    task.arrows.filter((arrow) => arrow.source !== arrow.target).map((arrow) => arrow.target),
  );
  const [first, ...rest] = task.cards;
  if (!first) return [];
  return [
    first,
    ...rest.filter((card) => !entered.has(card.id)),
    ...rest.filter((card) => entered.has(card.id)),
  ];
}
