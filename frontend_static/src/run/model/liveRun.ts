/**
 * Follows one run live. The log is authoritative and the socket only speeds it up: all events pass
 * the buffer, gaps are fetched over HTTP, a lost socket reconnects with growing delays, and a
 * silent connection is reported as stale.
 */

import { isFinished, type RunEvent } from "./events";
import { EventBuffer } from "./eventBuffer";
import type { Delta } from "./partialOutput";

export const SILENCE_MS = 5_000;
/** Events of the first page, which is shown at once, and of each later one. */
const FIRST_PAGE = 1000;
const PAGE = 5000;
const LONGEST_DELAY_MS = 15_000;

export interface EventPage {
  events: RunEvent[];
  last: number;
  status: string;
}

/** Services that the live run needs. Tests pass their own. */
export interface LiveRunHost {
  fetchEvents(after: number, limit: number): Promise<EventPage>;
  open(after: number): Socket;
  now(): number;
  later(action: () => void, milliseconds: number): () => void;
}

export interface Socket {
  onmessage: ((message: { data: string }) => void) | null;
  onclose: (() => void) | null;
  close(): void;
}

export interface LiveRunListener {
  events(fresh: readonly RunEvent[]): void;
  /**
   * The number of recorded events that are still to be loaded, and the run's status at the last of
   * them. Called before the events of a page.
   */
  missing(count: number, status: string): void;
  delta(delta: Delta): void;
  /** `since` is the time of the last message (ms); null while the view is live. */
  stale(since: number | null): void;
  problem(error: unknown): void;
}

export class LiveRun {
  readonly buffer = new EventBuffer();
  private socket: Socket | null = null;
  private stopped = false;
  private fetching: Promise<void> | null = null;
  private failures = 0;
  /** The newest event that a page named, and the run's status there. */
  private known = { last: 0, status: "" };
  private lastMessageAt: number;
  private cancelSilence = () => {};
  private cancelRetry = () => {};
  private finished = false;
  /** True for a run in a folder or repository: events about its changes follow its end. */
  private staysOpen = false;

  constructor(
    private readonly host: LiveRunHost,
    private readonly listener: LiveRunListener,
  ) {
    this.lastMessageAt = host.now();
  }

  /** Load the log, then follow it. */
  async start(): Promise<void> {
    await this.catchUp();
    if (!this.stopped && !this.finished) this.connect();
  }

  /** Follow a run whose first events are known. */
  startWith(page: EventPage): void {
    this.acceptPage(page);
    if (!this.finished) this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.cancelSilence();
    this.cancelRetry();
    this.close();
  }

  /** Fetch the events after the last known one. Only one fetch runs at a time. */
  catchUp(): Promise<void> {
    this.fetching ??= this.fetchAll().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  /** The next page is requested before the events of this one are folded and drawn. */
  private async fetchAll(): Promise<void> {
    try {
      let after = this.buffer.last;
      let coming = this.host.fetchEvents(after, after === 0 ? FIRST_PAGE : PAGE);
      for (let more = true; more;) {
        const page = await coming;
        if (this.stopped) return;
        const end = page.events.at(-1)?.n ?? after;
        more = end > after && end < page.last;
        after = end;
        if (more) {
          coming = this.host.fetchEvents(after, PAGE);
          coming.catch(() => undefined); // Reported where it is awaited.
        }
        this.markAlive();
        this.acceptPage(page);
      }
    } catch (error) {
      if (this.stopped) return;
      this.listener.problem(error);
      this.listener.stale(this.lastMessageAt);
    }
  }

  private connect(): void {
    this.close();
    const socket = this.host.open(this.buffer.last);
    this.socket = socket;
    this.restartSilenceTimer();
    socket.onmessage = (message) => this.handleMessage(message.data);
    socket.onclose = () => {
      if (this.socket === socket) this.handleClose();
    };
  }

  private handleMessage(data: string): void {
    this.failures = 0;
    this.markAlive();
    const message = JSON.parse(data) as Record<string, unknown>;
    switch (message.type) {
      case "hello":
        if ((message.last as number) > this.buffer.last) this.scheduleCatchUp();
        return;
      case "events":
        if (this.acceptEvents(message.events as RunEvent[])) void this.catchUp();
        return;
      case "delta":
        return this.listener.delta(message as unknown as Delta);
      case "behind":
        void this.catchUp();
        return;
      default:
        return;
    }
  }

  /**
   * The greeting names a number whose events usually follow at once. Fetch them only if they do
   * not.
   */
  private scheduleCatchUp(): void {
    const lastSeen = this.buffer.last;
    this.host.later(() => {
      if (!this.stopped && this.buffer.last === lastSeen) void this.catchUp();
    }, 1000);
  }

  private acceptPage(page: EventPage): void {
    this.known = { last: page.last, status: page.status };
    this.acceptEvents(page.events);
    const whole = isFinished(page.status) && this.buffer.last >= page.last;
    this.finished = whole && !this.staysOpen;
  }

  private acceptEvents(events: readonly RunEvent[]): boolean {
    const { fresh, gap } = this.buffer.accept(events);
    const missing = Math.max(0, this.known.last - this.buffer.last);
    this.listener.missing(missing, this.known.status);
    if (fresh.length > 0) this.listener.events(fresh);
    if (fresh.some((event) => event.type === "run.started" && event.workspace))
      this.staysOpen = true;
    if (!this.staysOpen && fresh.some((event) => event.type === "run.finished")) this.finish();
    return gap;
  }

  private finish(): void {
    this.finished = true;
    this.cancelSilence();
    this.close();
    this.listener.stale(null);
  }

  private handleClose(): void {
    this.socket = null;
    this.cancelSilence();
    if (this.stopped || this.finished) return;
    this.listener.stale(this.lastMessageAt);
    const delay = Math.min(LONGEST_DELAY_MS, 500 * 2 ** this.failures);
    this.failures += 1;
    this.cancelRetry = this.host.later(() => void this.retry(), delay);
  }

  private async retry(): Promise<void> {
    await this.catchUp();
    if (!this.stopped && !this.finished) this.connect();
  }

  private markAlive(): void {
    this.lastMessageAt = this.host.now();
    this.listener.stale(null);
    if (this.socket) this.restartSilenceTimer();
  }

  private restartSilenceTimer(): void {
    this.cancelSilence();
    this.cancelSilence = this.host.later(() => {
      this.listener.stale(this.lastMessageAt);
      this.close();
      this.handleClose();
    }, SILENCE_MS);
  }

  private close(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }
}
