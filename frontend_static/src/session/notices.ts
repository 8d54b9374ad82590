/**
 * Short messages at the edge of the page. They disappear after a few seconds; errors stay until
 * dismissed.
 */

import { ApiError, type Level } from "../api";
import { errorText } from "../ui/errorText";
import type { Store } from "../ui/store";
import type { SessionState } from "./state";

/** An error with a hint about what to do. The hint is empty if the server gives none. */
export interface ErrorMessage {
  message: string;
  hint: string;
}

export const errorMessage = (error: unknown): ErrorMessage => ({
  message: errorText(error),
  hint: error instanceof ApiError ? error.hint : "",
});

const SHOWN_MS = 6_000;
let nextId = 1;

export function notify(
  store: Store<SessionState>,
  text: string,
  level: Level | "ok" = "hint",
  hint = "",
): void {
  const others = store.get().notices.filter((notice) => notice.text !== text);
  const id = nextId++;
  store.set({ notices: [...others.slice(-4), { id, level, text, hint }] });
  if (level !== "error") setTimeout(() => dismiss(store, id), SHOWN_MS);
}

export function notifyError(store: Store<SessionState>, error: unknown): void {
  const { message, hint } = errorMessage(error);
  notify(store, message, "error", hint);
}

export function dismiss(store: Store<SessionState>, id: number): void {
  store.set({ notices: store.get().notices.filter((notice) => notice.id !== id) });
}
