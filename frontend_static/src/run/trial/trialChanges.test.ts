import { describe, expect, it } from "vitest";
import { changeCount, recordedFields, trialBody } from "./trialChanges";

const effect = {
  system: "Be brief.",
  messages: [
    { role: "user", text: "Hello" },
    { role: "assistant", text: "Hi" },
  ],
  parameters: { temperature: 0.5 },
};
const was = recordedFields(effect);

describe("changes of a trial", () => {
  it("sends nothing but the call if nothing is changed", () => {
    expect(trialBody(7, was, was)).toEqual({ at: 7 });
  });

  it("sends what differs, and null for a parameter that is left out", () => {
    const [first, second] = was.messages;
    const body = trialBody(7, was, {
      ...was,
      developer: "In verse.",
      messages: [first!, { ...second!, text: "Good day" }],
      temperature: "",
      maxTokens: "20",
      model: " small ",
    });
    expect(body).toEqual({
      at: 7,
      developer: "In verse.",
      texts: { "1": "Good day" },
      parameters: { temperature: null, max_tokens: 20 },
      model: "small",
    });
    expect(changeCount(body as { at: number })).toBe(5);
  });

  it("names a number that cannot be read", () => {
    expect(trialBody(7, was, { ...was, temperature: "hot" })).toBe(
      "The temperature must be a number.",
    );
  });

  it("reads a call without any of its fields", () => {
    expect(recordedFields(null)).toEqual({ ...was, system: "", messages: [], temperature: "" });
  });
});
