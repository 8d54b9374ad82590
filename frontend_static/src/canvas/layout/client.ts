/** Ask the layout worker. One worker for the page, started when first needed. */

import type { LayoutTask, Placed } from "./layoutTask";

let worker: Worker | null = null;
let next = 1;
const waiting = new Map<number, (placed: Placed) => void>();

function start(): Worker {
  const made = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  made.onmessage = (event: MessageEvent<{ ticket: number; placed: Placed }>) => {
    waiting.get(event.data.ticket)?.(event.data.placed);
    waiting.delete(event.data.ticket);
  };
  made.onerror = () => void fallBack();
  return made;
}

const asked = new Map<number, LayoutTask>();

/** Where workers are forbidden or break, the page counts by itself. */
async function fallBack(): Promise<void> {
  const { layoutWhole } = await import("./layoutGraph");
  for (const [ticket, done] of waiting) {
    const task = asked.get(ticket);
    if (task) done(layoutWhole(task));
  }
  waiting.clear();
}

export function layout(task: LayoutTask): Promise<Placed> {
  worker ??= start();
  const ticket = next++;
  asked.set(ticket, task);
  return new Promise<Placed>((done) => {
    waiting.set(ticket, done);
    worker?.postMessage({ ticket, task });
  }).finally(() => asked.delete(ticket));
}
