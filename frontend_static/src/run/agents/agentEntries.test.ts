import { describe, expect, test } from "vitest";
import type { RunEvent } from "../model/events";
import { agentEntries, callUsage } from "./agentEntries";
import { splitDiff } from "./splitDiff";

type Bare = { type: string; [field: string]: unknown };
const log = (...events: Bare[]): RunEvent[] =>
  events.map((event, index) => ({ ...event, n: index + 1, at: index }));

const handoff = (source: string, target: string, payload: object) => ({
  type: "agent_graph.handoff",
  source,
  target,
  envelope: { payload },
});

describe("the conversation of an agent", () => {
  test("has what it heard, said and called, in order, and nothing of the others", () => {
    const events = log(
      handoff("lead", "coder", { message: "Do it.", response: { expectation: "required" } }),
      { type: "agent_graph.turn", node: "coder", status: "started", turn: 1 },
      { type: "agent_graph.turn", node: "other", status: "started", turn: 1 },
      {
        type: "model.replied",
        state: "coder",
        text: 'Done.\n{"tool_call":{"name":"list_files","args":{}}}',
      },
      { type: "model.replied", state: "other", text: "Not mine." },
      {
        type: "agent_graph.call",
        node: "coder",
        tool: "list_files",
        args: {},
        ok: false,
        error: "No.",
      },
      { type: "artifact.set", node: "coder", kind: "diff", turn: 1, value: "…" },
      { type: "agent_graph.message", node: "coder", text: "Stop that.", interrupt: true },
      handoff("coder", "lead", { message: "Done." }),
    );
    expect(agentEntries(events, "coder")).toMatchObject([
      {
        kind: "in",
        other: "lead",
        message: "Do it.",
        more: { response: { expectation: "required" } },
      },
      { kind: "turn", number: 1 },
      { kind: "said", text: "Done." },
      { kind: "call", call: { tool: "list_files", ok: false, error: "No." } },
      { kind: "diff", turn: 1 },
      { kind: "person", text: "Stop that.", urgent: true },
      { kind: "out", other: "lead", message: "Done." },
    ]);
  });

  test("what goes wrong is told as such", () => {
    const events = log(
      { type: "agent_graph.turn", node: "a", status: "failed", error: "No model." },
      {
        type: "agent_graph.approval",
        node: "a",
        tool: "command",
        resolution: "denied",
        reason: "Not now.",
      },
      { type: "agent_graph.turn", node: "a", status: "interrupted" },
    );
    expect(agentEntries(events, "a")).toMatchObject([
      { kind: "note", text: "The turn failed: No model.", bad: true },
      { kind: "note", text: "command was denied: Not now.", bad: true },
      { kind: "note", text: "The turn was broken off", bad: false },
    ]);
  });

  test("of a long log only its own", () => {
    const many = log(
      ...Array.from({ length: 10_000 }, (_, index) => ({
        type: "model.replied",
        state: `s${index % 50}`,
        text: "x",
      })),
    );
    expect(agentEntries(many, "s7")).toHaveLength(200);
  });
});

test("usage is told call by call, and missing figures are nothing", () => {
  const events = log(
    {
      type: "model.replied",
      state: "a",
      model: "m",
      usage: { input_tokens: 5, output_tokens: 2, cost: 0.5 },
    },
    { type: "model.replied", state: "b", usage: { input_tokens: 7 } },
    { type: "model.replied", state: "a" },
  );
  expect(callUsage(events, "a")).toEqual([
    { n: 1, model: "m", input: 5, output: 2, cost: 0.5 },
    { n: 3, model: "", input: 0, output: 0, cost: 0 },
  ]);
});

describe("a diff over several files", () => {
  test("is taken apart by file, with what became of each", () => {
    const diff =
      "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+x\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n--- a/z.md\n+++ b/z.md\n@@ -1 +1 @@\n-a\n+b\n";
    expect(splitDiff(diff)).toEqual([
      { path: "new.md", how: "added", diff: "@@ -0,0 +1 @@\n+x", added: 1, removed: 0 },
      { path: "old.md", how: "removed", diff: "@@ -1 +0,0 @@\n-y", added: 0, removed: 1 },
      { path: "z.md", how: "changed", diff: "@@ -1 +1 @@\n-a\n+b", added: 1, removed: 1 },
    ]);
  });

  test("a removed line that looks like a head is none", () => {
    const diff = "--- a/z.md\n+++ b/z.md\n@@ -1,2 +1 @@\n--- a rule\n x\n";
    expect(splitDiff(diff).map((file) => [file.path, file.removed])).toEqual([["z.md", 1]]);
  });

  test("no diff has no files", () => expect(splitDiff("")).toEqual([]));
});
