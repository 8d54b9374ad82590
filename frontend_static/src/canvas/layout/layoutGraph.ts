/** Layout of a whole graph: dagre for small graphs, our own layered layout for larger ones. */

import { layoutWithDagre } from "./dagre";
import { layoutInLayers } from "./layered";
import type { LayoutTask, Positions } from "./layoutTask";

/** dagre takes 0.1 seconds for 100 states and half a minute for 5,000. */
const MAX_DAGRE_STATES = 300;

export function layoutGraph(task: LayoutTask): Positions {
  if (!task.cards.length) return new Map();
  if (task.cards.length > MAX_DAGRE_STATES || task.arrows.length > 4 * MAX_DAGRE_STATES)
    return layoutInLayers(task);
  return layoutWithDagre(task);
}
