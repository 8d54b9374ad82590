/** Run events as the server sends them: numbered from 1 without gaps, and immutable. */

export interface RunEvent {
  n: number;
  at: number;
  type: string;
  [field: string]: unknown;
}

export type RunStatus =
  | "new"
  | "running"
  | "paused"
  | "waiting"
  | "completed"
  | "failed"
  | "budget_exhausted"
  | "cancelled";

const FINISHED: ReadonlySet<string> = new Set([
  "completed",
  "failed",
  "budget_exhausted",
  "cancelled",
]);

export function isFinished(status: string): boolean {
  return FINISHED.has(status);
}

/** The label of a status. */
export function statusLabel(status: string): string {
  return status === "budget_exhausted" ? "out of budget" : status;
}

/** The reason of the run's end: the cause, then the sentence of the pack's program. */
export function headline(finished: RunEvent): string {
  return [text(finished, "cause"), text(finished, "reason")].filter(Boolean).join(" ");
}

/**
 * True for a request of a tool call. `tool.called` is one too if it belongs to a model's own turn,
 * and in logs from before `tool.asked`; else it records that the requested call was made.
 */
export function asksForTool(event: RunEvent): boolean {
  if (event.type === "tool.asked") return true;
  return event.type === "tool.called" && (event.key === undefined || event.effect !== undefined);
}

/** A text field of an event, or "" if it is missing or not a text. */
export function text(event: RunEvent, field: string): string {
  const value = event[field];
  return typeof value === "string" ? value : "";
}
