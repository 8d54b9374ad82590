/**
 * The time of a log without its idle seconds. Pure.
 * `fold` computes the same for the newest event (`idleSeconds`).
 */

import type { RunEvent } from "./events";
import { forkPoints } from "./fold";

/** Reads a log in order. */
export class ActiveClock {
  private idleSeconds = 0;
  private paused = false;
  private forkPoints: readonly number[] = [];
  private last = { n: 0, at: 0 };

  /** Returns the time of the event, in seconds since 1970 less the idle seconds before it. */
  read(event: RunEvent): number {
    if (this.paused || this.forkPoints.includes(this.last.n))
      this.idleSeconds += Math.max(0, event.at - this.last.at);
    if (event.type === "run.started") this.forkPoints = forkPoints(event.forked_from);
    if (event.type === "run.paused" || event.type === "run.finished") this.paused = true;
    if (event.type === "run.resumed" && !("key" in event)) this.paused = false;
    if (typeof event.idle === "number") this.idleSeconds += event.idle;
    this.last = event;
    return event.at - this.idleSeconds;
  }
}
