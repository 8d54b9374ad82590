/**
 * Layout of small graphs with dagre. States are added in reading order so that back arrows stay
 * back arrows.
 */

import dagre from "@dagrejs/dagre";
import { readingOrder } from "../src/canvas/layout/readingOrder";
import {
  COLUMN_GAP,
  ROW_GAP,
  type LayoutTask,
  type Positions,
} from "../src/canvas/layout/layoutTask";

/** dagre drops a node with an empty name, and the end of a run has an empty id. */
const nodeOf = (id: string): string => `s${id}`;
const idOf = (node: string): string => node.slice(1);

/** Gap between two columns, in addition to the space for labels. */
const RANK_GAP = 36;

export function layoutWithDagre(task: LayoutTask): Positions {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: ROW_GAP, ranksep: RANK_GAP, edgesep: 18 });
  graph.setDefaultEdgeLabel(() => ({}));
  const cards = new Map(task.cards.map((card) => [card.id, card]));
  const { order, depth } = readingOrder(task);
  for (const id of order) {
    const card = cards.get(id);
    if (card) graph.setNode(nodeOf(id), { width: card.w, height: card.h });
  }
  task.arrows.forEach((arrow, index) => {
    if (arrow.source === arrow.target || !cards.has(arrow.source) || !cards.has(arrow.target))
      return;
    const back = (depth.get(arrow.target) ?? 0) <= (depth.get(arrow.source) ?? 0);
    const width = Math.max(arrow.label + 8, COLUMN_GAP - RANK_GAP);
    // Back arrows get little weight, so that forward arrows decide how straight the graph is.
    const label = { width, height: 20, labelpos: "c" as const, weight: back ? 1 : 4 };
    graph.setEdge(nodeOf(arrow.source), nodeOf(arrow.target), label, `${index}`);
  });
  dagre.layout(graph);
  const placed: Positions = new Map();
  for (const node of graph.nodes()) {
    const at = graph.node(node);
    const id = idOf(node);
    const size = cards.get(id);
    if (size) placed.set(id, { x: at.x - size.w / 2, y: at.y - size.h / 2 });
  }
  return placed;
}
