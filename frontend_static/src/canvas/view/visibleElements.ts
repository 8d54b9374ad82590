/** The elements that the near view renders: those in the viewport and a margin around it. */

import type { Node } from "@xyflow/react";
import { Position } from "@xyflow/react";
import { useEffect, useState } from "react";
import type { Card } from "../scene/card";
import { covers, type Rect } from "../scene/geometry";
import { FEW_STATES } from "./hitTest";
import type { Stage } from "./stage";

export interface VisibleElements {
  nodes: Node[];
  arrows: string[];
  stubs: Card[];
  /** The version of the scene that this reflects. */
  version: number;
}

const NOTHING: VisibleElements = { nodes: [], arrows: [], stubs: [], version: 0 };
/** Margin around the viewport in screen pixels. Panning within it needs no new lookup. */
const MARGIN = 320;
const EVERYWHERE: Rect = { x: -1e9, y: -1e9, w: 2e9, h: 2e9 };

export function useVisibleElements(stage: Stage): VisibleElements {
  const [elements, setElements] = useState(NOTHING);
  useEffect(() => observe(stage, setElements), [stage]);
  return elements;
}

function observe(stage: Stage, show: (elements: VisibleElements) => void): () => void {
  const cache = new Map<string, { card: Card; node: Node }>();
  let last: { area: Rect; version: number; carry: unknown; far: boolean } | null = null;
  let frame = 0;
  const update = () => {
    frame = 0;
    const { far } = stage.mode.getState();
    const carry = stage.carry.getState();
    const { version } = stage.scene;
    const unchanged = last?.version === version && last.carry === carry && last.far === far;
    if (unchanged && (far || (last && covers(last.area, stage.visible(MARGIN / 4))))) return;
    // Small graphs are always rendered as a whole.
    const few = stage.scene.cards.size <= FEW_STATES;
    last = { area: few ? EVERYWHERE : stage.visible(MARGIN), version, carry, far };
    if (far) cache.clear();
    show(far ? { ...NOTHING, version } : collect(stage, last.area, cache));
  };
  const ask = () => {
    if (!frame) frame = requestAnimationFrame(update);
  };
  ask();
  const unsubscribers = [
    stage.view.subscribe(ask),
    stage.scene.subscribe(ask),
    stage.carry.subscribe(ask),
    stage.mode.subscribe(ask),
  ];
  return () => {
    cancelAnimationFrame(frame);
    for (const stop of unsubscribers) stop();
  };
}

function collect(
  stage: Stage,
  area: Rect,
  cache: Map<string, { card: Card; node: Node }>,
): VisibleElements {
  const { scene } = stage;
  const carry = stage.carry.getState();
  const nodes: Node[] = [];
  const stubs: Card[] = [];
  const ids = new Set(scene.cardIndex.query(area));
  for (const id of cache.keys()) if (!ids.has(id)) cache.delete(id);
  for (const id of ids) {
    const card = scene.cards.get(id);
    if (!card) continue;
    if (!card.state) stubs.push(card);
    else if (carry.ids.has(id))
      nodes.push(nodeOf({ ...card, x: card.x + carry.dx, y: card.y + carry.dy }));
    else nodes.push(cachedNode(cache, card));
  }
  return { nodes, stubs, arrows: scene.arrowIndex.query(area), version: scene.version };
}

/** Reuse the node of an unchanged card, so that React does not render it again. */
function cachedNode(cache: Map<string, { card: Card; node: Node }>, card: Card): Node {
  const was = cache.get(card.id);
  if (was?.card === card) return was.node;
  const node = nodeOf(card);
  cache.set(card.id, { card, node });
  return node;
}

const NO_DATA = {};

/** A React Flow node with all sizes given, so that React Flow measures nothing. */
function nodeOf(card: Card): Node {
  const { w: width, h: height } = card;
  return {
    id: card.id,
    type: "state",
    position: { x: card.x, y: card.y },
    data: NO_DATA,
    width,
    height,
    measured: { width, height },
    handles: [
      { type: "target", position: Position.Left, x: 0, y: height / 2, width: 1, height: 1 },
      { type: "source", position: Position.Right, x: width, y: height / 2, width: 1, height: 1 },
    ],
    draggable: false,
    selectable: false,
    focusable: false,
    // The card inside has the role and the name.
    domAttributes: { "aria-roledescription": undefined },
  };
}
