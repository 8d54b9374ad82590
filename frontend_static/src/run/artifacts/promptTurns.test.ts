import { describe, expect, it } from "vitest";
import type { RunEvent } from "../model/events";
import { promptParts, repeatedPrompts, promptTurns } from "./promptTurns";

const log = (...prompts: Record<string, unknown>[]): RunEvent[] =>
  prompts.map((fields, index) => ({
    n: index + 1,
    at: 0,
    type: "prompt.logged",
    position: "0",
    ...fields,
  }));

describe("the turns of a run", () => {
  it("link to the previous turn of the same state", () => {
    const turns = promptTurns(
      log({ state: "a", hash: "1" }, { state: "b", hash: "2" }, { state: "a", hash: "3" }),
    );
    expect(turns.map((turn) => [turn.number, turn.before?.event.n ?? 0])).toEqual([
      [1, 0],
      [1, 0],
      [2, 1],
    ]);
  });

  it("count repetitions in a row", () => {
    const turns = promptTurns(
      log(...["x", "x", "y", "x", "x", "x"].map((hash) => ({ state: "a", hash }))),
    );
    expect(turns.map((turn) => turn.times)).toEqual([1, 2, 1, 1, 2, 3]);
  });

  it("compare texts if there is no hash", () => {
    const turns = promptTurns(
      log({ state: "a", text: "x" }, { state: "a", text: "x" }, { state: "a", text: "y" }),
    );
    expect(turns.map((turn) => turn.times)).toEqual([1, 2, 1]);
  });

  it("prefer the previous turn at the same position to others of the state", () => {
    const turns = promptTurns(
      log(
        { state: "a", position: "0.1" },
        { state: "a", position: "0.2" },
        { state: "a", position: "0.1" },
      ),
    );
    expect(turns.map((turn) => turn.before?.event.n ?? 0)).toEqual([0, 1, 1]);
  });
});

describe("a prompt", () => {
  const last = (...prompts: Record<string, unknown>[]) => promptTurns(log(...prompts)).at(-1)!;
  const shown = (turn: ReturnType<typeof last>) =>
    promptParts(turn).map((part) => [part.title, part.text, part.before]);

  it("without blocks is one part", () => {
    expect(shown(last({ state: "a", text: "old" }, { state: "a", text: "new" }))).toEqual([
      ["", "new", "old"],
    ]);
    expect(shown(last({ state: "a", text: "new" }))).toEqual([["", "new", null]]);
  });

  it("with blocks has one part per block, including blank ones", () => {
    const blocks = { system: "S", role: "", mode: "M", task: "T2", override: " " };
    const before = { ...blocks, role: "R", task: "T1" };
    expect(shown(last({ state: "a", blocks: before }, { state: "a", blocks }))).toEqual([
      ["System context", "S", "S"],
      ["Role template", "", "R"],
      ["Mode preamble", "M", "M"],
      ["Task payload", "T2", "T1"],
      ["Override", " ", " "],
    ]);
  });

  it("with blocks after one without is compared as a whole", () => {
    const parts = shown(
      last(
        { state: "a", text: "old" },
        { state: "a", text: "S\n\nT", blocks: { system: "S", task: "T" } },
      ),
    );
    expect(parts).toEqual([["", "S\n\nT", "old"]]);
  });

  it("has a hash and a sent flag for each block", () => {
    const blocks = { system: "S", role: "R", mode: "M", task: "T", override: "" };
    const block_hashes = { system: "1", role: "2", mode: "3", task: "4", override: "" };
    const parts = promptParts(last({ state: "a", kind: "delta", blocks, block_hashes }));
    expect(parts.map((part) => [part.hash, part.sent])).toEqual([
      ["1", false],
      ["2", false],
      ["3", true],
      ["4", true],
      ["", true],
    ]);
    expect(promptParts(last({ state: "a", kind: "full", blocks })).every((part) => part.sent)).toBe(
      true,
    );
  });

  it("that was sent before has a repetition text", () => {
    const events = log(...["x", "x", "x", "y"].map((hash) => ({ state: "a", hash })));
    expect([...repeatedPrompts(events)]).toEqual([
      [2, "the same prompt for the second time"],
      [3, "the same prompt for the third time"],
    ]);
  });
});
