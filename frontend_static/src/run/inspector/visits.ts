/** The visits of a state in a run, each with its events, as the story of the run has them. Pure. */

import type { RunEvent } from "../model/events";
import { StoryBuilder, type Exit, type StoryRow } from "../story/story";

export interface Visit {
  /** The number of the visit, from 1. */
  number: number;
  position: string;
  /** The number of the event with which the visit began. */
  n: number;
  /** The times are without pauses, as `ActiveClock` reads them. */
  at: number;
  /** The time at which the state was left; null if the position is still there. */
  until: number | null;
  waited: StoryRow["waited"];
  events: readonly RunEvent[];
  /** Key of an open request → the reason for which it cannot be answered. */
  faults: ReadonlyMap<string, string>;
  /** The transition that was taken, or those to the branches of a fork; null if none was. */
  exit: Exit | null;
}

/** Log → its story: the inspector asks for another state of the same log after each click. */
const stories = new WeakMap<readonly RunEvent[], StoryBuilder>();

/** The visits of `state` in order. Several positions may be there at once. */
export function visitsOf(events: readonly RunEvent[], state: string): Visit[] {
  const story = stories.get(events) ?? new StoryBuilder(events);
  story.update();
  stories.set(events, story);
  return story.rows.flatMap((row) => {
    if (row.kind !== "visit" || row.state !== state) return [];
    const own = row.events.filter((event) => !story.outside.has(event.n));
    return { ...row, n: row.id, events: own };
  });
}
