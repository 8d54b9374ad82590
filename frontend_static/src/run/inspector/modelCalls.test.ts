import { describe, expect, it } from "vitest";
import type { RunEvent } from "../model/events";
import { curlCommand } from "./curl";
import { figuresOf, knownMessages, modelCalls, requestOf, sourceOf } from "./modelCalls";
import { visitsOf } from "./visits";

const URL = "http://127.0.0.1:1/v1/chat/completions";

const log = (...events: Record<string, unknown>[]): RunEvent[] =>
  events.map((event, index) => ({
    at: index,
    position: "0",
    ...event,
    n: index + 1,
  })) as unknown as RunEvent[];

const ask = (key: string, messages: string[], state = "a") => ({
  type: "model.asked",
  key,
  state,
  effect: {
    effect: "AskModel",
    system: "Be brief.",
    messages: messages.map((text) => ({ role: "user", text })),
  },
});

const body = (...texts: string[]) => ({
  model: "m",
  messages: texts.map((content) => ({ role: "user", content })),
  temperature: 0,
});

const sent = (...bodies: object[]) =>
  bodies.map((one) => ({ url: URL, at: 0, seconds: 1, hash: JSON.stringify(one), body: one }));

describe("a model call", () => {
  it("shows the recorded request instead of the effect", () => {
    const events = log(ask("k", ["asked"]), {
      type: "model.replied",
      key: "k",
      provider: "openai",
      sent: sent(body("sent")),
    });
    const [call] = modelCalls(events);
    expect(sourceOf(call!)).toBe("sent");
    expect(requestOf(call!).messages.map((one) => one.text)).toEqual(["sent"]);
    expect(requestOf(call!).settings).toEqual({ temperature: 0 });
  });

  it("without a record shows the effect, and is marked", () => {
    const [old, simulated] = modelCalls(
      log(
        ask("k", ["asked"]),
        { type: "model.replied", key: "k", provider: "openai" },
        ask("l", ["asked"]),
        { type: "model.replied", key: "l" },
      ),
    );
    expect([sourceOf(old!), sourceOf(simulated!)]).toEqual(["unrecorded", "simulated"]);
    expect(requestOf(old!).messages.map((one) => one.role)).toEqual(["system", "user"]);
  });

  it("is the same as the last one only if all that was sent is the same", () => {
    const calls = modelCalls(
      log(ask("1", ["x"]), ask("2", ["x"]), ask("3", ["x", "y"]), ask("4", ["x", "y"], "b")),
    );
    expect(calls.map((call) => call.times)).toEqual([1, 2, 1, 1]);
    expect(calls.map(knownMessages)).toEqual([0, 2, 2, 0]);
  });

  it("counts the tries before and after a pause", () => {
    const [call] = modelCalls(
      log(
        ask("k", ["x"]),
        { type: "run.paused", unanswered: "k", sent: [...sent(body("x")), { url: URL, hash: "" }] },
        { type: "model.replied", key: "k", sent: sent(body("x")), usage: { input_tokens: 3 } },
      ),
    );
    expect(figuresOf([call!])).toMatchObject({ tries: 3, input: 3, seconds: 2 });
    expect(call!.tries[1]!.body).toEqual(body("x"));
  });

  it("is copied as a command without the key", () => {
    const [one] = modelCalls(
      log(ask("k", []), { type: "model.replied", key: "k", sent: sent(body("it's")) }),
    );
    const command = curlCommand(one!.tries[0]!);
    expect(command).toContain('-H "Authorization: Bearer $API_KEY"');
    expect(command).toContain("it'\\''s");
  });
});

describe("the visits of a state", () => {
  const enter = (state: string) => ({ type: "state.entered", state });
  const take = (source: string, target: string) => ({
    type: "transition.taken",
    source,
    target,
    label: "Go",
  });

  it("have their own events, times and exits", () => {
    const visits = visitsOf(
      log(
        enter("a"),
        ask("1", ["x"]),
        take("a", "b"),
        { type: "state.left", state: "a" },
        enter("b"),
        ask("2", ["y"], "b"),
        take("b", "a"),
        { type: "state.left", state: "b" },
        enter("a"),
        ask("3", ["z"]),
      ),
      "a",
    );
    expect(visits.map((visit) => visit.events.map((event) => event.n))).toEqual([
      [1, 2, 3, 4],
      [9, 10],
    ]);
    expect(visits.map((visit) => visit.until)).toEqual([2, null]);
    expect(visits[0]!.exit).toEqual({ label: "Go", targets: ["b"] });
  });
});
