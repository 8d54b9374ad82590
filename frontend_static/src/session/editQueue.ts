/**
 * Queue of edits to send. One request is in flight; edits made meanwhile go into the next request.
 * A group holds the edits of one gesture. Groups are sent together but refused one by one.
 * Unconfirmed edits are stored (`store`) until the server confirms them.
 */

import { ApiError, type Change, type Conflict, type Edit, Unreachable } from "../api";
import type { Outcome } from "./state";

export interface EditGroup {
  edits: Edit[];
  done: (outcome: Outcome) => void;
}

export interface EditQueueHost {
  /** The revision on which the next request is based. */
  expectedRevision(): number;
  send(base: number, edits: Edit[]): Promise<Change>;
  /** Update the confirmed graph to the server's head. Called when an answer may have been lost. */
  catchUp(): Promise<void>;
  /** True if the confirmed graph already contains this edit. */
  isAlreadyApplied(edit: Edit): boolean;
  /** The server has saved these edits. */
  confirmed(change: Change, edits: readonly Edit[]): void;
  refused(error: ApiError | Error, edits: Edit[]): void;
  conflicted(conflict: Conflict): void;
  /** The edits that keep the drawing of the graph with these edits, which are in the queue. */
  drawing(edits: readonly Edit[]): Edit[];
  /** The queue changed: update the save status and the shown graph. */
  changed(): void;
  /** `base` is the revision on which the edits were made. */
  store(edits: Edit[][], base: number): void;
  wait(milliseconds: number): Promise<void>;
}

const RETRY_DELAYS_MS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

const undoGroup = (edits: readonly Edit[]): string | undefined => edits[0]?.group;

/** True if an edit sets the same field as an earlier one of the same stretch of typing. */
function replaces(
  [edit, ...more]: readonly Edit[],
  [earlier, ...others]: readonly Edit[],
): boolean {
  if (!edit?.group || edit.group !== earlier?.group || more.length || others.length) return false;
  if (edit.type === "write_file" && earlier.type === "write_file")
    return edit.path === earlier.path;
  return (
    edit.type === "set_field" &&
    earlier.type === "set_field" &&
    edit.element === earlier.element &&
    edit.field === earlier.field
  );
}

export class EditQueue {
  private inFlight: EditGroup[] = [];
  private waiting: EditGroup[] = [];
  private idleCallbacks: (() => void)[] = [];
  private running = false;
  private failures = 0;
  private oneAtATime = false;
  /** The revision on which the unsent edits were made, if the confirmed graph is newer. */
  private madeOnRevision: number | null = null;
  conflict: Conflict | null = null;

  constructor(private readonly host: EditQueueHost) {}

  get offline(): boolean {
    return this.failures > 0;
  }

  /** All unconfirmed edits, oldest first. */
  pending(): Edit[] {
    return [...this.inFlight, ...this.waiting].flatMap((group) => group.edits);
  }

  get empty(): boolean {
    return !this.inFlight.length && !this.waiting.length;
  }

  push(edits: Edit[]): Promise<Outcome> {
    return new Promise((done) => {
      const last = this.waiting.at(-1);
      if (last && replaces(edits, last.edits)) {
        // The text was typed on before it was sent.
        const earlier = last.done;
        last.edits = edits;
        last.done = (outcome) => {
          earlier(outcome);
          done(outcome);
        };
      } else {
        const group = { edits, done };
        this.waiting.push(group);
        group.edits = [...edits, ...this.host.drawing(edits)];
      }
      this.notifyHost();
      void this.sendAll();
    });
  }

  /**
   * Send edits left by an earlier page, based on their own revision because other users may have
   * changed the pack since.
   */
  resume(groups: Edit[][], base: number | null): void {
    this.madeOnRevision = base;
    this.waiting.push(...groups.map((edits) => ({ edits, done: () => undefined })));
    this.notifyHost();
    void this.sendAll();
  }

  private expectedRevision(): number {
    return this.madeOnRevision ?? this.host.expectedRevision();
  }

  /** Resolves when the queue is empty. Never rejects; a conflict must be resolved first. */
  idle(): Promise<void> {
    if (this.empty && !this.running) return Promise.resolve();
    return new Promise((done) => this.idleCallbacks.push(done));
  }

  /** Change the pack in another way, such as undo. Edits made meanwhile are sent afterwards. */
  async alone<T>(change: () => Promise<T>): Promise<T> {
    while (!this.empty || this.running) await this.idle();
    this.running = true;
    try {
      return await change();
    } finally {
      this.running = false;
      void this.sendAll();
    }
  }

  /**
   * Resolve a conflict: send the local edits again on top of the newest revision, group by group.
   */
  async reapply(): Promise<void> {
    await this.host.catchUp();
    this.conflict = null;
    this.madeOnRevision = null;
    this.oneAtATime = true;
    this.notifyHost();
    await this.sendAll();
  }

  /** Resolve a conflict: drop the local edits. */
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
    this.inFlight = this.waiting.splice(0, this.oneAtATime ? 1 : this.nextCount());
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

  /** Groups that become one undo step on the server are not sent with others. */
  private nextCount(): number {
    const step = undoGroup(this.waiting[0]!.edits);
    const other = this.waiting.findIndex(({ edits }) => undoGroup(edits) !== step);
    return other < 0 ? this.waiting.length : other;
  }

  private succeeded(change: Change): void {
    const sent = this.inFlight;
    this.inFlight = [];
    this.failures = 0;
    this.host.confirmed(
      change,
      sent.flatMap((group) => group.edits),
    );
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

  /** The answer was lost: wait, check which edits arrived, and send the others again. */
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
