import { expect, it } from "vitest";
import { answerLine, answerText } from "./answerText";

const value = { decision: "approve", notes: ["short", "clear"], next: { action: "closing" } };

it("lists the fields of a value in one line", () => {
  const answer = JSON.stringify(value);
  expect(answerLine({ answer })).toBe(
    "decision: approve · notes: short, clear · next: action: closing",
  );
  expect(answerText({ answer })).toContain('\n  "decision": "approve"');
  expect(answerLine({ answer: "[".repeat(400) + "]".repeat(400) })).toBe("…");
});

it("leaves any other answer as it is", () => {
  for (const answer of ["All is well.", "{not JSON}", "12", ""]) {
    expect(answerLine({ answer })).toBe(answer);
    expect(answerText({ answer })).toBe(answer);
  }
});
