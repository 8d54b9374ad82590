/**
 * Edits on their way out: one request in flight, what is made meanwhile goes into the next one.
 * A group is what one gesture made; groups are sent together but refused one by one. Nothing is
 * forgotten: what the server has not confirmed is kept (`keep`) until it has.
 */

import { ApiError, type Change, type Conflict, type Edit, Unreachable } from "../api";
import type { Outcome } from "./state";

export interface Group {
  edits: Edit[];
  done: (outcome: Outcome) => void;
}

export interface QueueWorld {
  /** The revision that the next request builds on. */
  base(): number;
  send(base: number, edits: Edit[]): Promise<Change>;
  /** Bring the confirmed graph to the server's head. Called after an answer may have been lost. */
  catchUp(): Promise<void>;
  /** Whether the confirmed graph already shows this edit. */
  alreadyDone(edit: Edit): boolean;
  confirmed(change: Change): void;
  refused(error: ApiError | Error, edits: Edit[]): void;
  conflicted(conflict: Conflict): void;
  /** Something about the queue changed: save state and painted graph must follow. */
  changed(): void;
  /** `base` is the revision they were made on. */
  keep(edits: Edit[][], base: number): void;
  wait(milliseconds: number): Promise<void>;
}

const DELAYS = [500, 1_000, 2_000, 4_000, 8_000, 15_000];

export class EditQueue {
  private flying: Group[] = [];
  private waiting: Group[] = [];
  private idlers: (() => void)[] = [];
  private running = false;
  private failures = 0;
  private alone = false;
  /** The revision that unsent edits were made on, where the confirmed graph has moved on since. */
  private madeOn: number | null = null;
  conflict: Conflict | null = null;

  constructor(private readonly world: QueueWorld) {}

  get offline(): boolean {
    return this.failures > 0;
  }

  /** Every edit the server has not confirmed, oldest first. */
  pending(): Edit[] {
    return [...this.flying, ...this.waiting].flatMap((group) => group.edits);
  }

  get empty(): boolean {
    return !this.flying.length && !this.waiting.length;
  }

  push(edits: Edit[]): Promise<Outcome> {
    return new Promise((done) => {
      this.waiting.push({ edits, done });
      this.note();
      void this.pump();
    });
  }

  /** Send what an earlier page left, on the revision it was made on: others may have changed it since. */
  resume(groups: Edit[][], base: number | null): void {
    this.madeOn = base;
    this.waiting.push(...groups.map((edits) => ({ edits, done: () => undefined })));
    this.note();
    void this.pump();
  }

  private base(): number {
    return this.madeOn ?? this.world.base();
  }

  /** Resolves when nothing is unsent. Never rejects; a conflict must be resolved first. */
  idle(): Promise<void> {
    if (this.empty && !this.running) return Promise.resolve();
    return new Promise((done) => this.idlers.push(done));
  }

  /** After a conflict: send mine again on top of theirs, group by group. */
  async reapply(): Promise<void> {
    await this.world.catchUp();
    this.conflict = null;
    this.madeOn = null;
    this.alone = true;
    this.note();
    await this.pump();
  }

  /** After a conflict: let mine go. */
  async discard(): Promise<void> {
    const lost = [...this.flying, ...this.waiting];
    this.flying = [];
    this.waiting = [];
    await this.world.catchUp();
    this.conflict = null;
    this.madeOn = null;
    for (const group of lost) group.done({ ok: false, error: new Error("Discarded.") });
    this.note();
    this.settle();
  }

  private note(): void {
    this.world.keep([...this.flying, ...this.waiting].map((group) => group.edits), this.base());
    this.world.changed();
  }

  private async pump(): Promise<void> {
    if (this.running) return;
    this.running = true;
    try {
      while (this.waiting.length && !this.conflict) await this.step();
    } finally {
      this.running = false;
      this.settle();
    }
  }

  private settle(): void {
    if (!this.empty) return;
    this.alone = false;
    this.madeOn = null;
    for (const done of this.idlers.splice(0)) done();
  }

  private async step(): Promise<void> {
    this.flying = this.alone ? this.waiting.splice(0, 1) : this.waiting.splice(0);
    this.note();
    const edits = this.flying.flatMap((group) => group.edits);
    try {
      const change = await this.world.send(this.base(), edits);
      this.madeOn = null;
      this.land(change);
    } catch (error) {
      await this.failed(error);
    }
  }

  private land(change: Change): void {
    const landed = this.flying;
    this.flying = [];
    this.failures = 0;
    this.world.confirmed(change);
    for (const group of landed) group.done({ ok: true, change });
    this.note();
  }

  private async failed(error: unknown): Promise<void> {
    if (error instanceof Unreachable) return this.again();
    if (error instanceof ApiError && error.status === 409) {
      this.waiting.unshift(...this.flying.splice(0));
      this.conflict = error.body as unknown as Conflict;
      this.world.conflicted(this.conflict);
      return this.note();
    }
    this.failures = 0;
    if (this.flying.length > 1) {
      this.alone = true;
      this.waiting.unshift(...this.flying.splice(0));
      return;
    }
    const refused = this.flying.splice(0);
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const group of refused) {
      this.world.refused(reason, group.edits);
      group.done({ ok: false, error: reason });
    }
    this.note();
  }

  /** No answer: keep everything, wait, look what got through, and try what did not. */
  private async again(): Promise<void> {
    this.waiting.unshift(...this.flying.splice(0));
    this.madeOn = this.base();
    const delay = DELAYS[Math.min(this.failures, DELAYS.length - 1)] ?? 15_000;
    this.failures += 1;
    this.note();
    await this.world.wait(delay);
    try {
      await this.world.catchUp();
    } catch {
      return;
    }
    this.waiting = this.waiting.flatMap((group) => {
      const left = group.edits.filter((edit) => !this.world.alreadyDone(edit));
      if (left.length < group.edits.length) this.madeOn = null;
      if (left.length) return [{ ...group, edits: left }];
      group.done({ ok: true, change: null });
      return [];
    });
    if (!this.waiting.length) this.failures = 0;
    this.note();
  }
}
