import { describe, expect, it } from "vitest";
import { schemaCheck } from "./schemaProblems";

const REVIEW = {
  type: "object",
  required: ["decision", "notes"],
  additionalProperties: false,
  properties: {
    decision: { enum: ["approve", "changes"] },
    notes: { type: "string", minLength: 2, pattern: "^[a-z]" },
    steps: { type: "array", items: { $ref: "#/$defs/step" }, maxItems: 2 },
  },
  $defs: { step: { type: ["integer", "null"], minimum: 1 } },
};

describe("an answer and the schema of its request", () => {
  it("is valid, and the keywords that were not checked are named", () => {
    const value = { decision: "approve", notes: "ok", steps: [1, null] };
    expect(schemaCheck(REVIEW, value)).toEqual({ problems: [], unchecked: ["pattern"] });
  });

  it.each([
    [{ decision: "approve" }, "/notes: is missing"],
    [{ decision: "maybe", notes: "ok" }, "/decision: is none of the listed values"],
    [{ decision: "approve", notes: "o" }, "/notes: has less than 2"],
    [{ decision: "approve", notes: "ok", more: 1 }, "/more: is not allowed"],
    [{ decision: "approve", notes: "ok", steps: [0] }, "/steps/0: is below 1"],
    [{ decision: "approve", notes: "ok", steps: [1.5] }, "/steps/0: is not integer or null"],
    [{ decision: "approve", notes: "ok", steps: [1, 2, 3] }, "/steps: has more than 2"],
    ["approve", "/: is not object"],
  ])("%j has the problem %s", (value, problem) => {
    expect(schemaCheck(REVIEW, value).problems).toContain(problem);
  });

  it("fits alternatives", () => {
    const either = { anyOf: [{ const: 1 }, { type: "string" }] };
    expect(schemaCheck(either, "x").problems).toEqual([]);
    expect(schemaCheck(either, 2).problems).toEqual(["/: fits none of the alternatives"]);
    const one = { oneOf: [{ type: "number" }, { type: "integer" }] };
    expect(schemaCheck(one, 0.5).problems).toEqual([]);
    expect(schemaCheck(one, 1).problems).toEqual(["/: does not fit exactly one alternative"]);
  });

  it("ends with a schema that refers to itself", () => {
    const { problems, unchecked } = schemaCheck({ allOf: [{ $ref: "#" }, { $ref: "#" }] }, 1);
    expect([problems, unchecked]).toEqual([[], ["the rest"]]);
  });
});
