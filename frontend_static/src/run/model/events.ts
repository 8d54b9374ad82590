/** What happened in a run, as the server sends it. Numbered from 1 without a gap, never changed. */

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

/** The words a person reads for a status. */
export function statusLabel(status: string): string {
  return status === "budget_exhausted" ? "out of budget" : status;
}

/** A text field of an event, "" where it is absent or something else. */
export function text(event: RunEvent, field: string): string {
  const value = event[field];
  return typeof value === "string" ? value : "";
}
