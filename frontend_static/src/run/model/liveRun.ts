/**
 * The live view of one run. The log is the truth and the socket only brings it sooner: every event
 * passes the inbox, gaps are fetched over HTTP, a lost socket comes back with a growing delay, and
 * silence is said aloud instead of looking like a run at rest.
 */

import { isFinished, type RunEvent } from "./events";
import { Inbox } from "./eventBuffer";
import type { Piece } from "./partialOutput";

export const SILENCE_MS = 15_000;
const PAGE = 1000;
const LONGEST_DELAY_MS = 15_000;

export interface EventPage {
  events: RunEvent[];
  last: number;
  status: string;
}

/** What the outside must provide; tests pass their own. */
export interface Outside {
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

export interface Listener {
  events(fresh: readonly RunEvent[]): void;
  delta(piece: Piece): void;
  /** `since` is the time of the last word from the server (ms), null while the view is live. */
  stale(since: number | null): void;
  problem(error: unknown): void;
}

export class LiveRun {
  readonly inbox = new Inbox();
  private socket: Socket | null = null;
  private stopped = false;
  private fetching: Promise<void> | null = null;
  private failures = 0;
  private heardAt: number;
  private cancelSilence = () => {};
  private cancelRetry = () => {};
  private finished = false;

  constructor(
    private readonly outside: Outside,
    private readonly listener: Listener,
  ) {
    this.heardAt = outside.now();
  }

  /** Load the log, then follow it. */
  async start(): Promise<void> {
    await this.catchUp();
    if (!this.stopped && !this.finished) this.connect();
  }

  stop(): void {
    this.stopped = true;
    this.cancelSilence();
    this.cancelRetry();
    this.close();
  }

  /** Fetch what the log has after the last number here. One fetch at a time. */
  catchUp(): Promise<void> {
    this.fetching ??= this.fetchAll().finally(() => {
      this.fetching = null;
    });
    return this.fetching;
  }

  private async fetchAll(): Promise<void> {
    try {
      for (;;) {
        const page = await this.outside.fetchEvents(this.inbox.last, PAGE);
        if (this.stopped) return;
        this.heard();
        const before = this.inbox.last;
        this.take(page.events);
        this.finished = isFinished(page.status) && this.inbox.last >= page.last;
        if (this.inbox.last >= page.last || this.inbox.last === before) return;
      }
    } catch (error) {
      if (this.stopped) return;
      this.listener.problem(error);
      this.listener.stale(this.heardAt);
    }
  }

  private connect(): void {
    this.close();
    const socket = this.outside.open(this.inbox.last);
    this.socket = socket;
    this.watchSilence();
    socket.onmessage = (message) => this.received(message.data);
    socket.onclose = () => {
      if (this.socket === socket) this.lost();
    };
  }

  private received(data: string): void {
    this.failures = 0;
    this.heard();
    const message = JSON.parse(data) as Record<string, unknown>;
    switch (message.type) {
      case "hello":
        if ((message.last as number) > this.inbox.last) this.scheduleCatchUp();
        return;
      case "events":
        if (this.take(message.events as RunEvent[])) void this.catchUp();
        return;
      case "delta":
        return this.listener.delta(message as unknown as Piece);
      case "behind":
        void this.catchUp();
        return;
      default:
        return;
    }
  }

  /** The greeting names a number whose events usually follow at once; ask only if they do not. */
  private scheduleCatchUp(): void {
    const seen = this.inbox.last;
    this.outside.later(() => {
      if (!this.stopped && this.inbox.last === seen) void this.catchUp();
    }, 1000);
  }

  private take(events: readonly RunEvent[]): boolean {
    const { fresh, gap } = this.inbox.accept(events);
    if (fresh.length > 0) this.listener.events(fresh);
    if (fresh.some((event) => event.type === "run.finished")) this.end();
    return gap;
  }

  private end(): void {
    this.finished = true;
    this.cancelSilence();
    this.close();
    this.listener.stale(null);
  }

  private lost(): void {
    this.socket = null;
    this.cancelSilence();
    if (this.stopped || this.finished) return;
    this.listener.stale(this.heardAt);
    const delay = Math.min(LONGEST_DELAY_MS, 500 * 2 ** this.failures);
    this.failures += 1;
    this.cancelRetry = this.outside.later(() => void this.retry(), delay);
  }

  private async retry(): Promise<void> {
    await this.catchUp();
    if (!this.stopped && !this.finished) this.connect();
  }

  private heard(): void {
    this.heardAt = this.outside.now();
    this.listener.stale(null);
    if (this.socket) this.watchSilence();
  }

  private watchSilence(): void {
    this.cancelSilence();
    this.cancelSilence = this.outside.later(() => {
      this.listener.stale(this.heardAt);
      this.close();
      this.lost();
    }, SILENCE_MS);
  }

  private close(): void {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }
}
