/** Small graphs: dagre's layering, fed in reading order so that back edges point back. */

import dagre from "@dagrejs/dagre";
import { walk } from "./order";
import { COLUMN_GAP, ROW_GAP, type LayoutTask, type Placed } from "./shape";

/** Between two columns besides the room for labels. */
const RANK_GAP = 36;

export function layoutWithDagre(task: LayoutTask): Placed {
  const graph = new dagre.graphlib.Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: ROW_GAP, ranksep: RANK_GAP, edgesep: 18 });
  graph.setDefaultEdgeLabel(() => ({}));
  const nodes = new Map(task.nodes.map((node) => [node.id, node]));
  const { order, depth } = walk(task);
  for (const id of order) {
    const node = nodes.get(id);
    if (node) graph.setNode(id, { width: node.w, height: node.h });
  }
  task.edges.forEach((edge, index) => {
    if (edge.source === edge.target || !nodes.has(edge.source) || !nodes.has(edge.target)) return;
    const back = (depth.get(edge.target) ?? 0) <= (depth.get(edge.source) ?? 0);
    const width = Math.max(edge.label + 8, COLUMN_GAP - RANK_GAP);
    // A back edge pulls with little weight: the way forward decides how straight things lie.
    const label = { width, height: 20, labelpos: "c" as const, weight: back ? 1 : 4 };
    graph.setEdge(edge.source, edge.target, label, `${index}`);
  });
  dagre.layout(graph);
  const placed: Placed = new Map();
  for (const id of graph.nodes()) {
    const at = graph.node(id);
    const size = nodes.get(id);
    if (size) placed.set(id, { x: at.x - size.w / 2, y: at.y - size.h / 2 });
  }
  return placed;
}
