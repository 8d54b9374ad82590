/** The layout's own thread: the page stays quick while it counts. */

import type { LayoutTask } from "./layoutTask";
import { layoutGraph } from "./layoutGraph";

self.onmessage = (event: MessageEvent<{ ticket: number; task: LayoutTask }>) => {
  const { ticket, task } = event.data;
  self.postMessage({ ticket, placed: layoutGraph(task) });
};
