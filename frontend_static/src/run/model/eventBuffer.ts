/**
 * Orders the events of a run, whether they come from the socket, from catching up, or from both. No
 * event is passed on twice or skipped.
 */

import type { RunEvent } from "./events";

export interface Accepted {
  /** New events that follow directly on the earlier ones, in order. */
  fresh: readonly RunEvent[];
  /** True if later events are held back because earlier ones are missing. */
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
