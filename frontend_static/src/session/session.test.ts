import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { packs, type Change, type Finding, type Form, type Graph, type PackDetail } from "../api";
import { emptyState } from "./optimisticEdits";
import { session } from "./session";

const CAN = { can: true, label: "" };

/** A promise that the test settles. */
function later<Value>() {
  let settle: (value: Value) => void = () => undefined;
  const promise = new Promise<Value>((done) => (settle = done));
  return { promise, settle };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

const graph = (revision: number, ...states: string[]): Graph => ({
  pack: 7,
  revision,
  profile: "plain",
  dialect: "flow",
  name: "Tiny",
  entry: null,
  entries: [],
  states: states.map((id) => emptyState(id, "state")),
  transitions: [],
  groups: [],
  findings: [],
  outline: [],
  palette: [],
  undo: CAN,
  redo: CAN,
  readable: true,
  saved_at: "2026-01-01T00:00:00Z",
});

function change(revision: number, set: string[] = [], gone: string[] = []): Change {
  return {
    revision,
    base: revision - 1,
    rebased: false,
    reload: false,
    graph: {
      states: { set: set.map((id) => emptyState(id, "state")), gone },
      transitions: { set: [], gone: [] },
      prompt_users: {},
      entries: [],
      groups: [],
      name: "Tiny",
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

class SilentSocket {
  static readonly OPEN = 1;
  readyState = 0;
  onmessage = null;
  onclose = null;
  close(): void {}
}

beforeEach(async () => {
  const stored = new Map<string, string>();
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", SilentSocket);
  vi.stubGlobal("location", new URL("http://127.0.0.1/packs/7/"));
  vi.stubGlobal("localStorage", {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
    removeItem: (name: string) => void stored.delete(name),
  });
  vi.spyOn(packs, "graph").mockResolvedValue(graph(1, "a", "b"));
  vi.spyOn(packs, "detail").mockResolvedValue({ id: 7 } as unknown as PackDetail);
  await session.load("7");
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

describe("undo", () => {
  test("the second of two quick undos waits for the first, and expects its revision", async () => {
    const [first, second] = [later<Change>(), later<Change>()];
    const undo = vi
      .spyOn(packs, "undo")
      .mockReturnValueOnce(first.promise)
      .mockReturnValueOnce(second.promise);
    const done = [session.undo(), session.undo()];
    await settled();
    expect(undo.mock.calls).toEqual([["7", 1]]);
    first.settle(change(2));
    await settled();
    expect(undo.mock.calls).toEqual([
      ["7", 1],
      ["7", 2],
    ]);
    second.settle(change(3));
    expect((await Promise.all(done)).map(({ ok }) => ok)).toEqual([true, true]);
    expect(session.state.revision).toBe(3);
  });

  test("redo waits for a running undo, and still runs if that fails", async () => {
    const undone = later<Change>();
    vi.spyOn(packs, "undo").mockReturnValueOnce(
      undone.promise.then(() => Promise.reject(new Error("No."))),
    );
    const redo = vi.spyOn(packs, "redo").mockResolvedValue(change(2));
    const done = [session.undo(), session.redo()];
    await settled();
    expect(redo).not.toHaveBeenCalled();
    undone.settle(change(2));
    expect((await Promise.all(done)).map(({ ok }) => ok)).toEqual([false, true]);
  });
});

describe("undo of an edit of this page", () => {
  const states = () => [...session.state.fullGraph.states.keys()].sort();
  const addC = async () => {
    vi.spyOn(packs, "edit").mockResolvedValue(change(2, ["c"]));
    await session.edit([{ type: "add_state", id: "c", kind: "state" }]);
    await settled();
  };

  test("is shown before the server answers, and so is its redo", async () => {
    await addC();
    const [undone, redone] = [later<Change>(), later<Change>()];
    vi.spyOn(packs, "undo").mockReturnValue(undone.promise);
    vi.spyOn(packs, "redo").mockReturnValue(redone.promise);
    void session.undo();
    await settled();
    expect(states()).toEqual(["a", "b"]);
    expect(session.state.saveStatus).toBe("saving");
    expect(session.state.redo.can).toBe(true);
    undone.settle(change(3, [], ["c"]));
    await settled();
    expect(states()).toEqual(["a", "b"]);
    expect(session.state.saveStatus).toBe("saved");
    void session.redo();
    await settled();
    expect(states()).toEqual(["a", "b", "c"]);
    redone.settle(change(4, ["c", "d"]));
    await settled();
    expect(states()).toEqual(["a", "b", "c", "d"]);
  });

  test("has the edits made meanwhile on top", async () => {
    await addC();
    vi.spyOn(packs, "undo").mockReturnValue(later<Change>().promise);
    void session.undo();
    await settled();
    void session.edit([{ type: "add_state", id: "e", kind: "state" }]);
    expect(states()).toEqual(["a", "b", "e"]);
  });

  test("is taken off again if the server refuses it", async () => {
    await addC();
    vi.spyOn(packs, "undo").mockRejectedValue(new Error("No."));
    const { redo } = session.state;
    const { ok } = await session.undo();
    expect(ok).toBe(false);
    expect(states()).toEqual(["a", "b", "c"]);
    expect(session.state.redo).toEqual(redo);
  });

  test("waits for the server if another change came between", async () => {
    await addC();
    vi.spyOn(packs, "edit").mockResolvedValue({ ...change(4, ["d"]), rebased: true });
    await session.edit([{ type: "add_state", id: "d", kind: "state" }]);
    await settled();
    vi.spyOn(packs, "undo").mockReturnValue(later<Change>().promise);
    void session.undo();
    await settled();
    expect(states()).toEqual(["a", "b", "c", "d"]);
  });
});

describe("a move", () => {
  const place = () => {
    const { x, y } = session.state.fullGraph.states.get("a")!;
    return [x, y];
  };

  test("stays where it was dropped though the answer leaves it out", async () => {
    vi.spyOn(packs, "edit").mockResolvedValue(change(2));
    await session.edit([{ type: "move", positions: { a: [4, 8] } }]);
    await settled();
    expect(session.state.unsent).toBe(0);
    expect(place()).toEqual([4, 8]);
  });

  test("is where the answer has it", async () => {
    const answer = change(2, ["a"]);
    Object.assign(answer.graph!.states.set[0]!, { x: 5, y: 9 });
    vi.spyOn(packs, "edit").mockResolvedValue(answer);
    await session.edit([{ type: "move", positions: { a: [4, 8] } }]);
    await settled();
    expect(place()).toEqual([5, 9]);
  });

  test("is not applied to an answer on another base, which has all states", async () => {
    vi.spyOn(packs, "edit").mockResolvedValue({ ...change(3), rebased: true });
    await session.edit([{ type: "move", positions: { a: [4, 8] } }]);
    await settled();
    expect(place()).toEqual([null, null]);
  });
});

describe("the selection", () => {
  test("keeps an unconfirmed state", async () => {
    const [first, second] = [later<Change>(), later<Change>()];
    vi.spyOn(packs, "edit").mockReturnValueOnce(first.promise).mockReturnValueOnce(second.promise);
    void session.edit([{ type: "add_state", id: "c", kind: "state" }]);
    void session.edit([{ type: "add_state", id: "d", kind: "state" }]);
    session.select(["state:d"]);
    first.settle(change(2, ["c"]));
    await settled();
    expect([...session.state.selection]).toEqual(["state:d"]);
    expect(session.state.element).toBe("state:d");
    second.settle(change(3, ["d"]));
    await settled();
    expect([...session.state.selection]).toEqual(["state:d"]);
  });

  test("loses a state that no longer exists", async () => {
    vi.spyOn(packs, "edit").mockResolvedValue(change(2, [], ["a"]));
    session.select(["state:a", "state:b"], "state:a");
    await session.edit([{ type: "remove_state", id: "a" }]);
    await settled();
    expect([...session.state.selection]).toEqual(["state:b"]);
    expect(session.state.element).toBe("pack");
  });
});

describe("a large pack", () => {
  test("keeps its findings until those of the new revision arrive", async () => {
    const finding = { code: "GR105", element: "state:a", level: "warning" } as unknown as Finding;
    const answer = later<Finding[]>();
    vi.spyOn(packs, "edit").mockResolvedValue({ ...change(2), findings: [finding] });
    await session.edit([{ type: "remove_state", id: "b" }]);
    await settled();
    vi.spyOn(packs, "edit").mockResolvedValue({ ...change(3), findings: null });
    const fetched = vi.spyOn(packs, "findings").mockReturnValue(answer.promise);
    await session.edit([{ type: "remove_state", id: "c" }]);
    await settled();
    expect(session.state.revision).toBe(3);
    expect(session.state.findings).toEqual([finding]);
    answer.settle([]);
    await settled();
    expect(fetched).toHaveBeenCalledTimes(1);
    expect(session.state.findings).toEqual([]);
  });

  test("one more request covers all edits made during the first", async () => {
    const [first, second] = [later<Finding[]>(), later<Finding[]>()];
    const fetched = vi
      .spyOn(packs, "findings")
      .mockReturnValueOnce(first.promise)
      .mockReturnValueOnce(second.promise);
    for (const revision of [2, 3, 4]) {
      vi.spyOn(packs, "edit").mockResolvedValue({ ...change(revision), findings: null });
      await session.edit([{ type: "remove_state", id: "b" }]);
      await settled();
    }
    const late = { code: "GR105", element: "state:a", level: "warning" } as unknown as Finding;
    first.settle([late]);
    await settled();
    expect(session.state.findings).toEqual([]);
    second.settle([late]);
    await settled();
    expect(fetched).toHaveBeenCalledTimes(2);
    expect(session.state.findings).toEqual([late]);
  });
});

describe("the form", () => {
  test("that came with an edit is not requested again", async () => {
    const form = { element: "state:a", values: {} } as unknown as Form;
    const edit = vi.spyOn(packs, "edit").mockResolvedValue({ ...change(2), form });
    const fields = vi.spyOn(packs, "fields").mockResolvedValue({ ...form, element: "state:b" });
    session.select(["state:a"]);
    await session.edit([{ type: "remove_state", id: "c" }]);
    expect(edit.mock.calls[0]?.[3]).toBe("state:a");
    expect(await session.fetchForm("state:a")).toBe(form);
    expect(fields).not.toHaveBeenCalled();
    expect((await session.fetchForm("state:b")).element).toBe("state:b");
  });
});
