/** Layout of a whole graph: elkjs for small and middle graphs, our own layout for larger ones. */

import { layoutWithElk, type ElkEngine } from "./elk";
import { layoutInLayers } from "./layered";
import { isRouted } from "../scene/orthogonalRoutes";
import { withoutRoutes, type Layout, type LayoutTask } from "./layoutTask";

/** Where `elk` fails, the states are placed by our own layout. */
export async function layoutGraph(task: LayoutTask, elk: ElkEngine): Promise<Layout> {
  if (!task.cards.length) return withoutRoutes(new Map());
  if (isRouted(task.cards.length, task.arrows.length)) {
    try {
      return await layoutWithElk(elk, task);
    } catch (error) {
      console.warn("The graph is placed without routes.", error);
    }
  }
  return withoutRoutes(layoutInLayers(task));
}
