import { expect, test } from "vitest";
import { duration, relative } from "./formatTime";

const NOW = Date.UTC(2030, 0, 10, 12);
const cases: [number, string][] = [
  [0, "just now"],
  [9, "just now"],
  [40, "40 sec. ago"],
  [120, "2 min. ago"],
  [3 * 3600, "3 hr. ago"],
  [86_400, "yesterday"],
  [6 * 86_400, "6 days ago"],
  [400 * 86_400, "last yr."],
];

test.each(cases)("%i seconds ago", (seconds, words) => {
  expect(relative(NOW - seconds * 1000, NOW)).toBe(words);
});

test("a time in the future", () => {
  expect(relative(NOW + 90 * 86_400_000, NOW)).toBe("in 2 mo.");
  expect(relative(NOW + 7 * 86_400_000 - 5_000, NOW)).toBe("in 6 days");
});

test.each([
  [840, "840 ms"],
  [999.6, "1.0 s"],
  [3210, "3.2 s"],
  [59_970, "1 min 0 s"],
  [119_600, "2 min 0 s"],
  [250_000, "4 min 10 s"],
  [7_800_000, "2 h 10 min"],
])("%i milliseconds", (milliseconds, words) => {
  expect(duration(milliseconds)).toBe(words);
});
