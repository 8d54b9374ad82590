/** Layout of a whole graph: elkjs for small and middle graphs, our own layout for larger ones. */

import { layoutWithElk, type ElkEngine } from "./elk";
import { layoutInLayers } from "./layered";
import { withoutRoutes, type Layout, type LayoutTask } from "./layoutTask";

/** elkjs takes 1.4 seconds for 300 states and minutes for thousands. */
export const MAX_ELK_STATES = 300;

export const usesElk = (task: LayoutTask): boolean =>
  task.cards.length <= MAX_ELK_STATES && task.arrows.length <= 4 * MAX_ELK_STATES;

/** Where `elk` fails, the states are placed by our own layout. */
export async function layoutGraph(task: LayoutTask, elk: ElkEngine): Promise<Layout> {
  if (!task.cards.length) return withoutRoutes(new Map());
  if (usesElk(task)) {
    try {
      return await layoutWithElk(elk, task);
    } catch (error) {
      console.warn("The graph is placed without routes.", error);
    }
  }
  return withoutRoutes(layoutInLayers(task));
}
