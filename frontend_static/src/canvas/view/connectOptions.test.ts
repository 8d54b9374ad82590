import { describe, expect, test } from "vitest";
import type { Offer } from "../../session";
import { connectOptions, defaultLabel, readLabel } from "./connectOptions";

const offer = (label: string, more: Partial<Offer> = {}): Offer => ({
  source: "a",
  label,
  kind: "event",
  targets: null,
  pattern: "",
  rule: "",
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
      choices: [{ label: "next", reason: "", last: false }],
      newNamePattern: null,
      rule: "",
      reason: "",
    });
  });

  test("an existing transition is not offered again", () => {
    const options = connectOptions([offer("next")], [existing], "a", "b");
    expect(options.choices).toEqual([{ label: "next", reason: "already there", last: false }]);
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

  test("redirects come last and are never the default", () => {
    const offers = [offer("on_max_visits", { kind: "redirect" }), offer("Approve"), offer("")];
    const options = connectOptions(offers, [], "a", "b");
    expect(options.choices.map((choice) => choice.label)).toEqual(["Approve", "on_max_visits"]);
    expect(defaultLabel(options, "b", [])).toBe("Approve");
  });

  test("the default is the offer named like the target, else a name made from it", () => {
    const named = connectOptions([offer("Reject"), offer("Refund")], [], "a", "refund");
    expect(defaultLabel(named, "refund", [])).toBe("Refund");
    const free = connectOptions([offer("", { pattern: EVENT })], [], "a", "b");
    expect(defaultLabel(free, "billing_question", [])).toBe("BillingQuestion");
    expect(defaultLabel(free, "billing", ["Billing"])).toBe("");
  });

  test("a typed label that breaks the pattern offers the nearest that keeps it", () => {
    const free = connectOptions([offer("", { pattern: EVENT })], [], "a", "b");
    expect(readLabel("approve it", free, false)).toEqual({
      label: "ApproveIt",
      problem: `A name must match ${EVENT}.`,
    });
    expect(readLabel("Approve", free, false)).toEqual({ label: "Approve", problem: "" });
  });

  test("among fixed labels the beginning is enough, and a wrong one offers the nearest", () => {
    const fixed = connectOptions([offer("next"), offer("handoff")], [], "a", "b");
    expect(readLabel("ha", fixed, false)).toEqual({ label: "handoff", problem: "" });
    expect(readLabel("nxet", fixed, false)).toEqual({
      label: "next",
      problem: "Only these fit here: next, handoff.",
    });
  });
});

const EVENT = "^[A-Z][a-zA-Z0-9]*$";
