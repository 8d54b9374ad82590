import type { RunEvent } from "./events";
import { foldTo } from "./fold";

/** An event of a test, without its number and time. */
export type Bare = { type: string; [field: string]: unknown };

/** A log for tests: these events, numbered from 1, a second apart. */
export const log = (...events: Bare[]): RunEvent[] =>
  events.map((event, index) => ({ ...event, n: index + 1, at: index }));

/** The view of a run after these events. */
export const viewAfter = (...events: Bare[]) => foldTo(log(...events), Infinity);
