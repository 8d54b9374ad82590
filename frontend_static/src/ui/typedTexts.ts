/**
 * Typed texts that are not stored elsewhere yet. From the first key a text is kept in the browser, so
 * that a reload or a crash loses none. Open texts are those that the page shows; the save status
 * counts them.
 */

import { createStore, useStore } from "zustand";

export interface OpenText {
  /** The sentence of the save status about a text that waits for its author; "" while it is stored. */
  status: string;
  /** Store it at once. */
  store?: (typing: boolean) => Promise<void>;
  /** It is stored also if the page is only hidden or left; a name needs Enter. */
  live?: boolean;
  /** It is kept nowhere, so leaving the page asks first. */
  asks?: boolean;
}

/** The rest of the status of a half-typed name. */
export const UNFINISHED = "press Enter to apply it, or Escape to drop it";

const store = createStore<ReadonlyMap<string, OpenText>>(() => new Map());

export const useOpenTexts = (): ReadonlyMap<string, OpenText> => useStore(store);

/** The text of this key is open: it was typed, and it is not stored yet. */
export function openText(key: string, text: OpenText): void {
  store.setState(new Map(store.getState()).set(key, text), true);
}

export function closeText(key: string): void {
  if (!store.getState().has(key)) return;
  const open = new Map(store.getState());
  open.delete(key);
  store.setState(open, true);
}

/** Store all open texts at once, or only those that need no Enter. */
export function storeTexts({ live = false } = {}): void {
  for (const text of [...store.getState().values()])
    if (!live || text.live) void text.store?.(false);
}

const storageKey = (key: string) => `signalbox.typed.${key}`;

/** Keep a text in the browser, with all that its form needs to continue. */
export function keepTyped(key: string, value: unknown): void {
  try {
    localStorage.setItem(storageKey(key), JSON.stringify(value));
  } catch {
    // Storage may be full or blocked. The text is on the page, and the save status counts it.
  }
}

export function keptTyped<T>(key: string): T | null {
  try {
    return JSON.parse(localStorage.getItem(storageKey(key)) ?? "null") as T | null;
  } catch {
    return null;
  }
}

export function dropTyped(key: string): void {
  try {
    localStorage.removeItem(storageKey(key));
  } catch {
    // Without storage nothing was kept.
  }
}

/** The keys of the kept texts that begin so. */
export function keptKeys(start: string): string[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(storageKey(start)))
      .map((key) => key.slice(storageKey("").length));
  } catch {
    return [];
  }
}

if (typeof addEventListener === "function") {
  const leave = () => storeTexts({ live: true });
  addEventListener("pagehide", leave);
  addEventListener("beforeunload", (event) => {
    if ([...store.getState().values()].some((text) => text.asks)) event.preventDefault();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) leave();
  });
}
