/** Run layouts in workers: elkjs for small and middle graphs, our own layout for larger ones. */

import { layoutGraph, usesElk } from "./layoutGraph";
import { layoutInLayers } from "./layered";
import { withoutRoutes, type Layout, type LayoutTask, type Positions } from "./layoutTask";
import { browserStore, withSavedLayouts } from "./savedLayouts";

const elk = withSavedLayouts(async () => (await import("./elkWorker")).startElk(), browserStore());
let worker: Worker | null = null;
let nextTicket = 1;
const waiting = new Map<number, { task: LayoutTask; done: (placed: Positions) => void }>();

export async function layout(task: LayoutTask): Promise<Layout> {
  if (usesElk(task)) return layoutGraph(task, elk);
  return withoutRoutes(await layoutInWorker(task));
}

function startWorker(): Worker {
  const created = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  created.onmessage = (event: MessageEvent<{ ticket: number; placed: Positions }>) => {
    waiting.get(event.data.ticket)?.done(event.data.placed);
    waiting.delete(event.data.ticket);
  };
  created.onerror = layoutOnMainThread;
  return created;
}

/** Fallback where workers are blocked or fail. */
function layoutOnMainThread(): void {
  for (const { task, done } of waiting.values()) done(layoutInLayers(task));
  waiting.clear();
}

function layoutInWorker(task: LayoutTask): Promise<Positions> {
  worker ??= startWorker();
  const ticket = nextTicket++;
  return new Promise<Positions>((done) => {
    waiting.set(ticket, { task, done });
    worker?.postMessage({ ticket, task });
  });
}
