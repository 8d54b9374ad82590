import { describe, expect, test } from "vitest";
import type { Offer } from "../../../session";
import { connectOptions, nameProblem } from "./connectOptions";

const offer = (label: string, more: Partial<Offer> = {}): Offer => ({
  source: "a",
  label,
  kind: "event",
  targets: null,
  pattern: "",
  reason: "",
  ...more,
});
const existing = {
  id: "a|next|b",
  source: "a",
  target: "b",
  label: "next",
  kind: "event" as const,
  event: "next",
  value: null,
  inert: false,
};

describe("connect options", () => {
  test("an offer without targets allows every target", () => {
    expect(connectOptions([offer("next")], [], "a", "b")).toEqual({
      choices: [{ label: "next", reason: "" }],
      newNamePattern: null,
      reason: "",
    });
  });

  test("an existing transition is not offered again", () => {
    const options = connectOptions([offer("next")], [existing], "a", "b");
    expect(options.choices).toEqual([{ label: "next", reason: "already there" }]);
    expect(options.reason).toBe("Every event is taken.");
  });

  test("a target that no offer allows is refused with the offer's reason", () => {
    const only = offer("handoff", {
      targets: ["done"],
      reason: "Only a closure step ends the run.",
    });
    expect(connectOptions([only], [], "a", "b").reason).toBe("Only a closure step ends the run.");
    expect(connectOptions([only], [], "a", "done").reason).toBe("");
  });

  test("a state without offers allows no arrow", () => {
    expect(connectOptions([], [], "a", "b").reason).toBe("No arrow may leave this state.");
  });

  test("a new label must match the dialect's pattern", () => {
    expect(nameProblem("Approve", "^[A-Z][a-z]+$")).toBe("");
    expect(nameProblem("approve", "^[A-Z][a-z]+$")).toContain("must match");
    expect(nameProblem("anything", "")).toBe("");
  });
});
