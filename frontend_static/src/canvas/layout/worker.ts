/** The layout worker, so that the page stays responsive. */

import type { LayoutTask } from "./layoutTask";
import { layoutInLayers } from "./layered";

self.onmessage = (event: MessageEvent<{ ticket: number; task: LayoutTask }>) => {
  const { ticket, task } = event.data;
  self.postMessage({ ticket, placed: layoutInLayers(task) });
};
