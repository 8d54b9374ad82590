/**
 * Layouts of elkjs, saved in the browser. A graph that was laid out before is drawn at once, without
 * the worker and its download.
 */

import type { ElkNode } from "elkjs/lib/elk-api";
import type { ElkEngine } from "./elk";

/** Number of saved layouts. The oldest is deleted first. */
const MOST = 100;
const DATABASE = "signalbox-layouts";
const STORE = "layouts";
const BY_TIME = "by-time";

export interface LayoutStore {
  get(key: string): Promise<ElkNode | undefined>;
  put(key: string, layout: ElkNode): Promise<void>;
}

/** An engine that asks `store` first. `start` is called for the first graph that is not in it. */
export function withSavedLayouts(start: () => Promise<ElkEngine>, store: LayoutStore): ElkEngine {
  let engine: Promise<ElkEngine> | null = null;
  return {
    async layout(graph) {
      const key = keyOf(graph);
      const saved = await store.get(key).catch(() => undefined);
      if (saved) return saved;
      engine ??= start();
      const made = await (await engine).layout(graph);
      // Some browsers have no storage, for example in private windows.
      store.put(key, made).catch(() => undefined);
      return made;
    },
  };
}

/** Two 32-bit FNV-1a hashes of the graph with its options, and its length. */
function keyOf(graph: ElkNode): string {
  const text = JSON.stringify(graph);
  let one = 0x811c9dc5;
  let two = 0x1000193;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 0x01000193);
    two = Math.imul(two ^ code, 0x85ebca6b);
  }
  return [one >>> 0, two >>> 0, text.length].map((part) => part.toString(36)).join("-");
}

interface Row {
  key: string;
  time: number;
  layout: ElkNode;
}

/** A store in the browser's database, which is opened with the first use. */
export function browserStore(): LayoutStore {
  let database: Promise<IDBDatabase> | null = null;
  const rows = async (mode: IDBTransactionMode) => {
    database ??= openDatabase();
    return (await database).transaction(STORE, mode).objectStore(STORE);
  };
  return {
    async get(key) {
      const row = await result<Row | undefined>((await rows("readonly")).get(key));
      return row?.layout;
    },
    async put(key, layout) {
      const store = await rows("readwrite");
      await result(store.put({ key, time: Date.now(), layout } satisfies Row));
      const surplus = (await result(store.count())) - MOST;
      if (surplus <= 0) return;
      const oldest = await result(store.index(BY_TIME).getAllKeys(null, surplus));
      await Promise.all(oldest.map((one) => result(store.delete(one))));
    },
  };
}

function openDatabase(): Promise<IDBDatabase> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore(STORE, { keyPath: "key" });
    store.createIndex(BY_TIME, "time");
  };
  return result(opening);
}

function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((done, fail) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => fail(request.error ?? new Error("The browser's database failed."));
  });
}
