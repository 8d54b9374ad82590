import { describe, expect, test } from "vitest";
import { fitsPattern, nearestName, nearestOption } from "./names";

const EVENT = "^[A-Z][a-zA-Z0-9]*$";
const KEBAB = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$";
const STEP = "^[a-zA-Z_][a-zA-Z0-9_]*$";

describe("names", () => {
  test.each([
    ["approve", EVENT, "Approve"],
    ["billing question", EVENT, "BillingQuestion"],
    ["reject-it", EVENT, "RejectIt"],
    ["Größe", EVENT, "Grosse"],
    ["2nd try", EVENT, "On2ndTry"],
    ["Review Tests", KEBAB, "review-tests"],
    ["ReviewTests", KEBAB, "review-tests"],
    ["review_tests", KEBAB, "review-tests"],
    ["look closer", STEP, "look_closer"],
    ["2nd", STEP, "_2nd"],
    ["a|b", "^[^|]+$", "a-b"],
    ["Approve", EVENT, "Approve"],
    ["日本", EVENT, "U65e5u672c"],
    ["Überlegt", EVENT, "Uberlegt"],
    ["überlegt", STEP, "uberlegt"],
    ["承認", KEBAB, "u627fu8a8d"],
    ["Проверить счёт", KEBAB, "proveritj-schyot"],
    ["🙂", EVENT, ""],
    ["", EVENT, ""],
  ])("the nearest name to %j under %s is %j", (typed, pattern, nearest) => {
    expect(nearestName(typed, pattern)).toBe(nearest);
  });

  test("a pattern is not anchored", () => {
    expect(fitsPattern("Done", "^[A-Z]")).toBe(true);
    expect(fitsPattern("a b", STEP)).toBe(false);
    expect(fitsPattern("anything", "")).toBe(true);
    expect(fitsPattern("anything", "(")).toBe(true);
  });

  test.each([
    ["next", "next"],
    ["NEXT", "next"],
    ["hand", "handoff"],
    ["nxet", "next"],
    ["off", "handoff"],
    ["zzzzzz", ""],
    ["", ""],
  ])("%j stands for the option %j", (typed, option) => {
    expect(nearestOption(typed, ["next", "repeat", "jump", "handoff"])).toBe(option);
  });
});
