import { expect, it } from "vitest";
import { answerLine, answerText } from "./answerText";

const structured = { decision: "approve", notes: ["short", "clear"], next: { action: "closing" } };
const answer = JSON.stringify(structured);

it("lists the fields of a value in one line", () => {
  expect(answerLine({ answer, structured })).toBe(
    "decision: approve · notes: short, clear · next: action: closing",
  );
  expect(answerText({ answer, structured })).toContain('\n  "decision": "approve"');
});

it("leaves a text as it is, even if the model also called a tool", () => {
  expect(answerLine({ answer: "All is well.", structured })).toBe("All is well.");
  expect(answerText({ answer: "All is well.", structured: null })).toBe("All is well.");
});
