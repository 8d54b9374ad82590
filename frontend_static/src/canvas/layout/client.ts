/** Run layouts in a worker. The page has one worker, started on first use. */

import type { LayoutTask, Positions } from "./layoutTask";

let worker: Worker | null = null;
let nextTicket = 1;
const callbacksByTicket = new Map<number, (placed: Positions) => void>();

function startWorker(): Worker {
  const created = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  created.onmessage = (event: MessageEvent<{ ticket: number; placed: Positions }>) => {
    callbacksByTicket.get(event.data.ticket)?.(event.data.placed);
    callbacksByTicket.delete(event.data.ticket);
  };
  created.onerror = () => void layoutOnMainThread();
  return created;
}

const tasksByTicket = new Map<number, LayoutTask>();

/** Fallback where workers are blocked or fail. */
async function layoutOnMainThread(): Promise<void> {
  const { layoutGraph } = await import("./layoutGraph");
  for (const [ticket, done] of callbacksByTicket) {
    const task = tasksByTicket.get(ticket);
    if (task) done(layoutGraph(task));
  }
  callbacksByTicket.clear();
}

export function layout(task: LayoutTask): Promise<Positions> {
  worker ??= startWorker();
  const ticket = nextTicket++;
  tasksByTicket.set(ticket, task);
  return new Promise<Positions>((done) => {
    callbacksByTicket.set(ticket, done);
    worker?.postMessage({ ticket, task });
  }).finally(() => tasksByTicket.delete(ticket));
}
