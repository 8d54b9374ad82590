import { expect, test } from "vitest";
import type { RunEvent } from "../model/events";
import { conversationOf } from "./conversation";

const EVENTS = [
  { type: "run.started" },
  { type: "model.replied", text: "I look.", usage: { cost: 0.01, input_tokens: 90 } },
  { type: "tool.asked", key: "a", name: "propose" },
  {
    type: "tool.returned",
    key: "a",
    result: JSON.stringify({ findings_new: [{}], note: "Nobody sees it." }),
  },
  { type: "tool.asked", key: "b", name: "propose" },
  { type: "tool.returned", key: "b", result: JSON.stringify({ proposal: 7 }) },
  { type: "tool.asked", key: "c", name: "graph" },
  { type: "tool.returned", key: "c", result: "", error: '{"error":"There is no level."}' },
  { type: "model.replied", text: "", error: "", usage: { cost: 0.02, output_tokens: 10 } },
  { type: "run.finished", status: "failed", reason: "It broke." },
].map((one, at): RunEvent => ({ n: at + 1, at, ...one }));

test("a conversation has replies, the results of tools, the cost and the proposal", () => {
  const { lines, cost, tokens, proposal } = conversationOf(EVENTS);
  expect(
    lines.map((one) => (one.kind === "call" ? `${one.tool}: ${one.result}` : one.text)),
  ).toEqual([
    "I look.",
    "propose: 1 new finding · Nobody sees it.",
    "propose: ",
    "graph: There is no level.",
    "It broke.",
  ]);
  expect([cost.toFixed(2), tokens, proposal]).toEqual(["0.03", 100, 7]);
});
