/**
 * Short messages at the edge of the page. They disappear after a few seconds; errors stay until
 * dismissed. That the server cannot be reached stays until it answers again.
 */

import type { StoreApi } from "zustand";
import { onNextAnswer, Unreachable, type Level } from "../api";
import { errorMessage } from "../ui/errorText";
import type { NoticeAction, SessionState } from "./state";

const SHOWN_MS = 6_000;
/** A notice with a button stays until a person has read it. */
const QUESTION_MS = 30_000;
let nextId = 1;

export function notify(
  store: StoreApi<SessionState>,
  text: string,
  level: Level | "ok" = "hint",
  hint = "",
  action: NoticeAction | null = null,
): number {
  const others = store.getState().notices.filter((notice) => notice.text !== text);
  const id = nextId++;
  store.setState({ notices: [...others.slice(-4), { id, level, text, hint, action }] });
  if (level !== "error") setTimeout(() => dismiss(store, id), action ? QUESTION_MS : SHOWN_MS);
  return id;
}

export function notifyError(store: StoreApi<SessionState>, error: unknown): void {
  const { message, hint } = errorMessage(error);
  const id = notify(store, message, "error", hint);
  if (!(error instanceof Unreachable)) return;
  onNextAnswer(() => setTimeout(() => dismiss(store, id), SHOWN_MS));
}

export function dismiss(store: StoreApi<SessionState>, id: number): void {
  store.setState({ notices: store.getState().notices.filter((notice) => notice.id !== id) });
}
