import { expect, test } from "vitest";
import { readPasted } from "./pastedText";

const STATES = '{"ask": {"on_event": {"Go": "answer"}}, "answer": {"terminal": true}}';
const STAGE = "---\nid: intake\nname: Intake\n---\nRead the request.\n";

test.each([
  ["promptpack", `{"workflow": {"entry": "ask", "states": ${STATES}}, "prompts": {}}`, 2, true],
  ["promptpack", `{"states": ${STATES}}`, 2, false],
  ["promptpack", `"states": ${STATES},`, 2, false],
  ["promptpack", '{"prompts": {"one": {"system_template": "x"}}, "id": "p"}', 1, true],
  ["promptpack", '{"other": 1, "more": 2}', 0, true],
  ["steps_registry", '{"agentId": "a", "steps": {"s1": {"stepId": "s1"}}}', 1, true],
  ["steps_registry", '{"stepId": "s1", "name": "S"}', 1, true],
  ["stages", STAGE, 1, false],
  ["stages", STAGE.replaceAll("\n", "\r\n"), 1, false],
  ["agent_graph", `{"states": ${STATES}}`, 0, false],
])("%s: %s", (dialect, text, states, isPack) => {
  const pasted = readPasted(dialect, text);
  expect(pasted.states).toHaveLength(states);
  expect(pasted.fragment === null).toBe(states === 0);
  expect(pasted.isPack).toBe(isPack);
});

test.each(["Dear team,\nplease call me.", "[1, 2]", "{broken", "# Title"])(
  "%s is prose",
  (text) => {
    expect(readPasted("promptpack", text)).toMatchObject({ fragment: null, isProse: true });
  },
);

test("nothing is nothing", () => {
  expect(readPasted("promptpack", " \n")).toMatchObject({
    states: [],
    isPack: false,
    isProse: false,
  });
});
