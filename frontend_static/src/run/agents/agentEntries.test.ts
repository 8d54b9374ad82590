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
  test("has the agent's messages, replies and calls in order, and no other agent's", () => {
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

  test("failures are marked as bad", () => {
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

  test("has only the agent's own entries of a long log", () => {
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

test("usage is listed per call, and missing values count as 0", () => {
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

describe("a diff of several files", () => {
  test("is split by file, with the kind of change of each", () => {
    const diff =
      "--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+x\n--- a/old.md\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n--- a/z.md\n+++ b/z.md\n@@ -1 +1 @@\n-a\n+b\n";
    expect(splitDiff(diff)).toEqual([
      { path: "new.md", how: "added", diff: "@@ -0,0 +1 @@\n+x", added: 1, removed: 0 },
      { path: "old.md", how: "removed", diff: "@@ -1 +0,0 @@\n-y", added: 0, removed: 1 },
      { path: "z.md", how: "changed", diff: "@@ -1 +1 @@\n-a\n+b", added: 1, removed: 1 },
    ]);
  });

  test("a removed line that looks like a file header is content", () => {
    const diff = "--- a/z.md\n+++ b/z.md\n@@ -1,2 +1 @@\n--- a rule\n x\n";
    expect(splitDiff(diff).map((file) => [file.path, file.removed])).toEqual([["z.md", 1]]);
  });

  test("an empty diff has no files", () => expect(splitDiff("")).toEqual([]));
});
