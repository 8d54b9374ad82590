import { expect, test } from "vitest";
import { INITIAL_VIEW, type RunView } from "./fold";
import { spokenStatus } from "./spokenStatus";

const at = (change: Partial<RunView>): RunView => ({
  ...INITIAL_VIEW,
  status: "running",
  positions: { "0": "draft" },
  visits: { draft: 1 },
  ...change,
});
const question = { key: "k", position: "0", state: "draft", for: "person" } as const;

test.each<[string, RunView]>([
  ["", INITIAL_VIEW],
  ["Run in draft.", at({})],
  ["Run in draft, visit 3.", at({ visits: { draft: 3 } })],
  ["Run in lint and test.", at({ positions: { "0": "lint", "1": "test" } })],
  ["Run waits for you in draft.", at({ status: "waiting", waiting: { k: question } })],
  ["Run paused in draft.", at({ status: "paused" })],
  ["Run completed after 3 visits.", at({ status: "completed", visits: { draft: 2, done: 1 } })],
  ["Run out of budget after 1 visit.", at({ status: "budget_exhausted" })],
])("%s", (spoken, view) => {
  expect(spokenStatus(view)).toBe(spoken);
});
