import type { ElkEngine } from "./elk";
import { layoutGraph } from "./layoutGraph";
import type { Layout, LayoutTask } from "./layoutTask";
import { browserStore, withSavedLayouts } from "./savedLayouts";

let engine: Promise<ElkEngine> | null = null;

/** Load the worker before it is needed: the demo page works offline later. */
export const startLayout = (): Promise<ElkEngine> =>
  (engine ??= import("./elkWorker").then(({ startElk }) => startElk()));

const elk = withSavedLayouts(startLayout, browserStore());

/** Layout on the page, where elkjs is in a worker. */
export const layout = (task: LayoutTask): Promise<Layout> => layoutGraph(task, elk);
