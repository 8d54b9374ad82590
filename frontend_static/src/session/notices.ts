/** Short messages at the edge of the page. They go away by themselves, errors when dismissed. */

import { ApiError, type Level } from "../api";
import type { Store } from "../lib/store";
import type { SessionState } from "./state";

const SHOWN_MS = 6_000;
let next = 1;

export function notify(
  store: Store<SessionState>,
  text: string,
  level: Level | "ok" = "hint",
  hint = "",
): void {
  const known = store.get().notices.filter((notice) => notice.text !== text);
  const id = next++;
  store.set({ notices: [...known.slice(-4), { id, level, text, hint }] });
  if (level !== "error") setTimeout(() => dismiss(store, id), SHOWN_MS);
}

export function notifyError(store: Store<SessionState>, error: unknown): void {
  if (error instanceof ApiError) notify(store, error.message, "error", error.hint);
  else notify(store, error instanceof Error ? error.message : String(error), "error");
}

export function dismiss(store: Store<SessionState>, id: number): void {
  store.set({ notices: store.get().notices.filter((notice) => notice.id !== id) });
}
