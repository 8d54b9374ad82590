/**
 * Events of one run in order, whichever way they come: socket, catch-up, or both at once. Nothing is
 * shown twice and nothing is skipped: where a number is missing, `missing` says from where to fetch.
 */

import type { RunEvent } from "./events";

export interface Accepted {
  /** Events that follow on what was there, in order. */
  fresh: readonly RunEvent[];
  /** True when later events are held back because earlier ones have not arrived. */
  gap: boolean;
}

export class EventBuffer {
  readonly log: RunEvent[] = [];
  private readonly outOfOrder = new Map<number, RunEvent>();

  get last(): number {
    return this.log.length;
  }

  accept(events: readonly RunEvent[]): Accepted {
    for (const event of events) {
      if (event.n > this.last) this.outOfOrder.set(event.n, event);
    }
    const accepted: RunEvent[] = [];
    for (
      let next = this.outOfOrder.get(this.last + 1);
      next;
      next = this.outOfOrder.get(this.last + 1)
    ) {
      this.outOfOrder.delete(next.n);
      this.log.push(next);
      accepted.push(next);
    }
    return { fresh: accepted, gap: this.outOfOrder.size > 0 };
  }
}
