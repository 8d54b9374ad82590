/** The calls of the worker with Python, one after the other. */

import type { Call, Message } from "./worker";

/** A call that lasts longer ends its worker: the first one loads Python too. */
const LIMIT_MS = 120_000;
const HOME = new URL("python/", document.baseURI).href;

export interface Answer {
  status: number;
  body: unknown;
}

type Waiting = { done: (answer: Answer) => void; failed: (error: Error) => void; timer: number };

let worker: Worker | null = null;
let opening: Call | null = null;
let last = 0;
const waiting = new Map<number, Waiting>();

/** Status and body of a call. Rejects if Python was lost. */
export async function ask(call: Call): Promise<Answer> {
  if (!worker) {
    worker = start();
    if (opening && call.name === "answer") await send(worker, opening);
  }
  if (call.name.startsWith("open_")) opening = call;
  return send(worker, call);
}

function start(): Worker {
  const made = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
  made.onmessage = ({ data }: MessageEvent<{ id: number; text?: string; problem?: string }>) => {
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    clearTimeout(call?.timer);
    if (data.text === undefined) return call?.failed(new Error(data.problem));
    const value = JSON.parse(data.text) as unknown;
    const [status, body] =
      Array.isArray(value) && typeof value[0] === "number" ? value : [200, value];
    call?.done({ status: status as number, body });
  };
  made.onerror = (event) => end(new Error(event.message || "Python could not be loaded."));
  return made;
}

function send(to: Worker, call: Call): Promise<Answer> {
  const id = ++last;
  return new Promise((done, failed) => {
    const late = () => end(new Error("This took longer than two minutes and was stopped."));
    waiting.set(id, { done, failed, timer: window.setTimeout(late, LIMIT_MS) });
    to.postMessage({ id, home: HOME, call } satisfies Message);
  });
}

function end(error: Error): void {
  worker?.terminate();
  worker = null;
  for (const { failed, timer } of waiting.values()) {
    clearTimeout(timer);
    failed(error);
  }
  waiting.clear();
}
