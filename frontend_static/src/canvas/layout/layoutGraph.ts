/** Lay out a whole graph: dagre while it is quick, our own layers above that. */

import { layoutWithDagre } from "./dagre";
import { layoutInLayers } from "./layered";
import type { LayoutTask, Placed } from "./layoutTask";

/** dagre takes a tenth of a second for 100 states and half a minute for 5,000. */
const DAGRE_MOST = 300;

export function layoutWhole(task: LayoutTask): Placed {
  if (!task.boxes.length) return new Map();
  if (task.boxes.length > DAGRE_MOST || task.arrows.length > 4 * DAGRE_MOST) return layoutInLayers(task);
  return layoutWithDagre(task);
}
