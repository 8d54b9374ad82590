/**
 * Edits on their way out: one request in flight, what is made meanwhile goes into the next one.
 * A group is what one gesture made; groups are sent together but refused one by one. Nothing is
 * forgotten: what the server has not confirmed is kept (`keep`) until it has.
 */

import { ApiError, type Change, type Conflict, type Edit, Unreachable } from "../api";
import type { Outcome } from "./state";

export interface EditGroup {
  edits: Edit[];
  done: (outcome: Outcome) => void;
}

export interface EditQueueHost {
  /** The revision that the next request builds on. */
  expectedRevision(): number;
  send(base: number, edits: Edit[]): Promise<Change>;
  /** Bring the confirmed graph to the server's head. Called after an answer may have been lost. */
  catchUp(): Promise<void>;
  /** Whether the confirmed graph already shows this edit. */
  isAlreadyApplied(edit: Edit): boolean;
  confirmed(change: Change): void;
  refused(error: ApiError | Error, edits: Edit[]): void;
  conflicted(conflict: Conflict): void;
  /** Something about the queue changed: save state and painted graph must follow. */
  changed(): void;
  /** `base` is the revision they were made on. */
  store(edits: Edit[][], base: number): void;
  wait(milliseconds: number): Promise<void>;
}

const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

export class EditQueue {
  private inFlight: EditGroup[] = [];
  private waiting: EditGroup[] = [];
  private idleCallbacks: (() => void)[] = [];
  private running = false;
  private failures = 0;
  private oneAtATime = false;
  /** The revision that unsent edits were made on, where the confirmed graph has moved on since. */
  private madeOnRevision: number | null = null;
  conflict: Conflict | null = null;

  constructor(private readonly host: EditQueueHost) {}

  get offline(): boolean {
    return this.failures > 0;
  }

  /** Every edit the server has not confirmed, oldest first. */
  pending(): Edit[] {
    return [...this.inFlight, ...this.waiting].flatMap((group) => group.edits);
  }

  get empty(): boolean {
    return !this.inFlight.length && !this.waiting.length;
  }

  push(edits: Edit[]): Promise<Outcome> {
    return new Promise((done) => {
      this.waiting.push({ edits, done });
      this.notifyHost();
      void this.sendAll();
    });
  }

  /** Send what an earlier page left, on the revision it was made on: others may have changed it since. */
  resume(groups: Edit[][], base: number | null): void {
    this.madeOnRevision = base;
    this.waiting.push(...groups.map((edits) => ({ edits, done: () => undefined })));
    this.notifyHost();
    void this.sendAll();
  }

  private expectedRevision(): number {
    return this.madeOnRevision ?? this.host.expectedRevision();
  }

  /** Resolves when nothing is unsent. Never rejects; a conflict must be resolved first. */
  idle(): Promise<void> {
    if (this.empty && !this.running) return Promise.resolve();
    return new Promise((done) => this.idleCallbacks.push(done));
  }

  /** After a conflict: send mine again on top of theirs, group by group. */
  async reapply(): Promise<void> {
    await this.host.catchUp();
    this.conflict = null;
    this.madeOnRevision = null;
    this.oneAtATime = true;
    this.notifyHost();
    await this.sendAll();
  }

  /** After a conflict: let mine go. */
  async discard(): Promise<void> {
    const lost = [...this.inFlight, ...this.waiting];
    this.inFlight = [];
    this.waiting = [];
    await this.host.catchUp();
    this.conflict = null;
    this.madeOnRevision = null;
    for (const group of lost) group.done({ ok: false, error: new Error("Discarded.") });
    this.notifyHost();
    this.notifyIdle();
  }

  private notifyHost(): void {
    this.host.store(
      [...this.inFlight, ...this.waiting].map((group) => group.edits),
      this.expectedRevision(),
    );
    this.host.changed();
  }

  private async sendAll(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (this.waiting.length && !this.conflict) await this.sendNext();
    } finally {
      this.running = false;
      this.notifyIdle();
    }
  }

  private notifyIdle(): void {
    if (!this.empty) return;
    this.oneAtATime = false;
    this.madeOnRevision = null;
    for (const done of this.idleCallbacks.splice(0)) done();
  }

  private async sendNext(): Promise<void> {
    this.inFlight = this.oneAtATime ? this.waiting.splice(0, 1) : this.waiting.splice(0);
    this.notifyHost();
    const edits = this.inFlight.flatMap((group) => group.edits);
    try {
      const change = await this.host.send(this.expectedRevision(), edits);
      this.madeOnRevision = null;
      this.succeeded(change);
    } catch (error) {
      await this.failed(error);
    }
  }

  private succeeded(change: Change): void {
    const sent = this.inFlight;
    this.inFlight = [];
    this.failures = 0;
    this.host.confirmed(change);
    for (const group of sent) group.done({ ok: true, change });
    this.notifyHost();
  }

  private async failed(error: unknown): Promise<void> {
    if (error instanceof Unreachable) return this.retry();
    if (error instanceof ApiError && error.status === 409) {
      this.waiting.unshift(...this.inFlight.splice(0));
      this.conflict = error.body as unknown as Conflict;
      this.host.conflicted(this.conflict);
      return this.notifyHost();
    }
    this.failures = 0;
    if (this.inFlight.length > 1) {
      this.oneAtATime = true;
      this.waiting.unshift(...this.inFlight.splice(0));
      return;
    }
    const refused = this.inFlight.splice(0);
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const group of refused) {
      this.host.refused(reason, group.edits);
      group.done({ ok: false, error: reason });
    }
    this.notifyHost();
  }

  /** No answer: keep everything, wait, look what got through, and try what did not. */
  private async retry(): Promise<void> {
    this.waiting.unshift(...this.inFlight.splice(0));
    this.madeOnRevision = this.expectedRevision();
    const delay = RETRY_DELAYS_MS[Math.min(this.failures, RETRY_DELAYS_MS.length - 1)] ?? 15_000;
    this.failures += 1;
    this.notifyHost();
    await this.host.wait(delay);
    try {
      await this.host.catchUp();
    } catch {
      return;
    }
    this.waiting = this.waiting.flatMap((group) => {
      const remaining = group.edits.filter((edit) => !this.host.isAlreadyApplied(edit));
      if (remaining.length < group.edits.length) this.madeOnRevision = null;
      if (remaining.length) return [{ ...group, edits: remaining }];
      group.done({ ok: true, change: null });
      return [];
    });
    if (!this.waiting.length) this.failures = 0;
    this.notifyHost();
  }
}
