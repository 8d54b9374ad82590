import { expect, test } from "vitest";
import { howStarted } from "./howStarted";

const RUN = {
  owner: "ada",
  source: "person",
  trigger_name: "",
  revision: 3,
  driver: "model",
} as const;
const at = { n: 1, at: 1, type: "run.started" };

test("the user, connection, model, limits, commands and tools are listed", () => {
  const started = {
    ...at,
    by: "ada",
    connection: "Ollama",
    model: "llama3.2",
    budget: { total_visits: 20 },
    commands: false,
    commit: "0123456789abcdef",
    bindings: { look_up: { kind: "http" }, refund: { kind: "mcp", ask: true } },
  };
  expect(Object.fromEntries(howStarted(started, RUN))).toEqual({
    "Started by": "ada",
    How: "in the browser",
    Revision: "r3, commit 0123456789ab",
    Answers: "from models",
    Connection: "Ollama",
    Model: "llama3.2",
    Limits: "total visits 20",
    Commands: "not allowed",
    Tools: "look_up: http; refund: mcp, asks first",
  });
});

test("a trigger is named, and a log of an older release shows the values of its row", () => {
  const run = { ...RUN, source: "webhook", trigger_name: "Form", driver: "manual" } as const;
  expect(howStarted(at, run)).toEqual([
    ["Started by", "ada"],
    ["How", "by the webhook Form"],
    ["Revision", "r3"],
    ["Answers", "manual"],
  ]);
});
