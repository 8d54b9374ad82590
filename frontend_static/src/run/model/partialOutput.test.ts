import { describe, expect, test } from "vitest";
import type { RunEvent } from "./events";
import {
  recordedAnswer,
  appendDelta,
  textAfter,
  partialOutputText,
  type Delta,
  type PartialOutput,
} from "./partialOutput";

describe("deltas of an answer", () => {
  const delta = (text: string, at: number, begun = 1): Delta => ({ key: "k", text, begun, at });
  const cases: [string, Delta[], string][] = [
    ["follow each other", [delta("Hel", 0), delta("lo", 3)], "Hello"],
    ["come twice", [delta("Hello", 0), delta("lo", 3), delta("Hel", 0)], "Hello"],
    ["overlap", [delta("Hello", 0), delta("lo you", 3)], "Hello you"],
    ["leave a gap", [delta("Hello", 0), delta("there", 10)], "… there"],
    [
      "come from the beginning after a gap",
      [delta("there", 10), delta("Hello you there", 0)],
      "Hello you there",
    ],
    ["begin anew", [delta("Hello", 0), delta("Again", 0, 2), delta("late", 5, 1)], "Again"],
  ];
  test.each(cases)("%s", (_name, deltas, shown) => {
    const speech = deltas.reduce<PartialOutput | undefined>(appendDelta, undefined);
    expect(partialOutputText(speech!)).toBe(shown);
  });
});

describe("the replay of a recorded answer", () => {
  const event = (n: number, type: string, more: object = {}): RunEvent => ({
    n,
    at: n,
    type,
    ...more,
  });
  const log = [
    event(1, "model.asked", { key: "a" }),
    event(2, "model.asked", { key: "b" }),
    event(3, "model.replied", { key: "b", structured: { ok: true }, text: "" }),
    event(4, "model.replied", { key: "a", text: "One two\n three" }),
    event(60, "model.asked", { key: "c" }),
  ];

  test("takes as long as the answer took, and shows every word", () => {
    const answer = recordedAnswer(log, 1)!;
    expect(answer.milliseconds).toBe(3000);
    expect([0, 1000, 1001, 3000, 9000].map((at) => textAfter(answer, at))).toEqual([
      "",
      "One ",
      "One two\n ",
      "One two\n three",
      "One two\n three",
    ]);
  });

  test("shows a structured answer as JSON", () => {
    expect(textAfter(recordedAnswer(log, 2)!, 9000)).toBe('{"ok":true}');
  });

  test("is null without a request or an answer", () => {
    expect([0, 3, 5, 9].map((n) => recordedAnswer(log, n))).toEqual([null, null, null, null]);
  });

  test("takes at most six seconds", () => {
    const slow = [
      event(1, "model.asked", { key: "a" }),
      { ...event(2, "model.replied", { key: "a", text: "x" }), at: 900 },
    ];
    expect(recordedAnswer(slow, 1)?.milliseconds).toBe(6000);
  });
});
