import { layoutGraph } from "./layoutGraph";
import type { Layout, LayoutTask } from "./layoutTask";
import { browserStore, withSavedLayouts } from "./savedLayouts";

const elk = withSavedLayouts(async () => (await import("./elkWorker")).startElk(), browserStore());

/** Layout on the page, where elkjs is in a worker. */
export const layout = (task: LayoutTask): Promise<Layout> => layoutGraph(task, elk);
