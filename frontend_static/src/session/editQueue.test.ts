import { beforeEach, describe, expect, test } from "vitest";
import { ApiError, Unreachable, type Change, type Conflict, type Edit } from "../api";
import { EditQueue, type EditQueueHost } from "./editQueue";

const move = (id: string): Edit => ({ type: "move", positions: { [id]: [0, 0] } });
const CAN = { can: true, label: "" };

function change(revision: number): Change {
  return {
    revision,
    base: revision - 1,
    rebased: false,
    reload: false,
    graph: {
      states: { set: [], gone: [] },
      transitions: { set: [], gone: [] },
      prompt_users: {},
      entries: [],
      groups: [],
      name: "",
    },
    findings: [],
    outline: null,
    undo: CAN,
    redo: CAN,
    readable: true,
    saved_at: "2026-01-01T00:00:00Z",
    summary: "",
  };
}

type Answer = "ok" | "lost" | "done but lost" | ApiError;

/** A server with one scripted answer per request, then always "ok". */
class World implements EditQueueHost {
  revision = 1;
  sent: { base: number; edits: Edit[] }[] = [];
  answers: Answer[] = [];
  done: Edit[] = [];
  refusals: string[] = [];
  conflicts: Conflict[] = [];
  stored: Edit[][] = [];
  waits: number[] = [];
  private gates: (() => void)[] = [];
  held = false;

  expectedRevision = () => this.revision;
  catchUp = async () => undefined;
  isAlreadyApplied = (edit: Edit) => this.done.includes(edit);
  confirmedEdits: (readonly Edit[])[] = [];
  confirmed = (answer: Change, edits: readonly Edit[]) => {
    this.revision = answer.revision;
    this.confirmedEdits.push(edits);
  };
  refused = (error: Error) => void this.refusals.push(error.message);
  conflicted = (conflict: Conflict) => void this.conflicts.push(conflict);
  drawing = (): Edit[] => [];
  changed = () => undefined;
  store = (groups: Edit[][]) => void (this.stored = groups);
  wait = async (milliseconds: number) => void this.waits.push(milliseconds);

  async send(base: number, edits: Edit[]): Promise<Change> {
    this.sent.push({ base, edits });
    if (this.held) await new Promise<void>((open) => this.gates.push(open));
    const answer = this.answers.shift() ?? "ok";
    if (answer === "done but lost") this.done.push(...edits);
    if (answer === "lost" || answer === "done but lost") throw new Unreachable("no route");
    if (answer instanceof ApiError) throw answer;
    return change(this.revision + 1);
  }

  open(): void {
    this.held = false;
    for (const open of this.gates.splice(0)) open();
  }
}

const refusal = () => new ApiError(422, "edit_refused", "That does not fit.", "", "", {});
const conflict = () =>
  new ApiError(409, "conflict", "Somebody was faster.", "", "", {
    head: 9,
    yours: [],
    theirs: [],
    places: [],
  });

let world: World;
let queue: EditQueue;
beforeEach(() => {
  world = new World();
  queue = new EditQueue(world);
});

const sent = () => world.sent.map(({ edits }) => edits.length);

describe("the edit queue", () => {
  test("an edit is sent with its expected revision, and reported as saved", async () => {
    const outcome = await queue.push([move("a")]);
    expect(outcome.ok).toBe(true);
    expect(world.sent).toEqual([{ base: 1, edits: [move("a")] }]);
    expect(world.confirmedEdits).toEqual([[move("a")]]);
    expect(queue.empty).toBe(true);
    expect(world.stored).toEqual([]);
  });

  test("edits made while one is in flight go out together, on the new revision", async () => {
    world.held = true;
    const first = queue.push([move("a")]);
    const rest = [queue.push([move("b")]), queue.push([move("c")])];
    expect(queue.pending()).toHaveLength(3);
    world.open();
    await Promise.all([first, ...rest]);
    expect(sent()).toEqual([1, 2]);
    expect(world.sent[1]?.base).toBe(2);
  });

  test("edits are kept and retried with growing delays while the server is unreachable", async () => {
    world.answers = ["lost", "lost", "lost"];
    const outcome = await queue.push([move("a")]);
    expect(outcome.ok).toBe(true);
    expect(world.sent).toHaveLength(4);
    expect(world.waits).toEqual([500, 1_000, 2_000]);
    expect(queue.offline).toBe(false);
  });

  test("an edit whose answer was lost is not sent twice", async () => {
    world.answers = ["done but lost"];
    const outcome = await queue.push([{ type: "connect", source: "a", target: "b", label: "go" }]);
    expect(outcome).toEqual({ ok: true, change: null });
    expect(world.sent).toHaveLength(1);
  });

  test("unsent edits keep their expected revision while other users save", async () => {
    world.answers = ["lost"];
    world.catchUp = async () => void (world.revision = 4);
    await queue.push([move("a")]);
    expect(world.sent.map(({ base }) => base)).toEqual([1, 1]);
    await queue.push([move("b")]);
    expect(world.sent.at(-1)?.base).toBe(5);
  });

  test("edits left by an earlier page are sent with their own expected revision", async () => {
    world.revision = 6;
    queue.resume([[move("a")]], 3);
    await queue.idle();
    expect(world.sent).toEqual([{ base: 3, edits: [move("a")] }]);
  });

  test("unsent edits are stored outside the page", async () => {
    world.held = true;
    const all = [queue.push([move("a")]), queue.push([move("b")])];
    expect(world.stored).toEqual([[move("a")], [move("b")]]);
    world.open();
    await Promise.all(all);
    expect(world.stored).toEqual([]);
  });

  test("of edits refused together, only the invalid one is dropped", async () => {
    world.held = true;
    const first = queue.push([move("a")]);
    const [bad, good] = [queue.push([move("bad")]), queue.push([move("good")])];
    world.answers = ["ok", refusal(), refusal()];
    world.open();
    await first;
    expect((await bad).ok).toBe(false);
    expect((await good).ok).toBe(true);
    expect(world.refusals).toEqual(["That does not fit."]);
  });

  test("a conflict keeps the edits until the user decides", async () => {
    world.answers = [conflict()];
    const outcome = queue.push([move("a")]);
    await new Promise((done) => setTimeout(done));
    expect(world.conflicts).toHaveLength(1);
    expect(queue.pending()).toEqual([move("a")]);
    await queue.reapply();
    expect((await outcome).ok).toBe(true);
    expect(world.sent).toHaveLength(2);
  });

  test("a conflict can be resolved by discarding the edits", async () => {
    world.answers = [conflict()];
    const outcome = queue.push([move("a")]);
    await new Promise((done) => setTimeout(done));
    await queue.discard();
    expect((await outcome).ok).toBe(false);
    expect(queue.empty).toBe(true);
    expect(world.sent).toHaveLength(1);
  });

  test("edits made during an undo are sent after it, on its revision", async () => {
    let finish = (): void => undefined;
    const undo = queue.alone(async () => {
      await new Promise<void>((done) => (finish = done));
      world.revision = 7;
    });
    await Promise.resolve();
    const edit = queue.push([move("a")]);
    expect(world.sent).toEqual([]);
    finish();
    await undo;
    expect(await edit).toMatchObject({ ok: true });
    expect(world.sent).toEqual([{ base: 7, edits: [move("a")] }]);
  });

  test("idle waits for all unsent edits", async () => {
    world.held = true;
    void queue.push([move("a")]);
    let idle = false;
    const waiting = queue.idle().then(() => (idle = true));
    await Promise.resolve();
    expect(idle).toBe(false);
    world.open();
    await waiting;
    expect(queue.empty).toBe(true);
  });
});
