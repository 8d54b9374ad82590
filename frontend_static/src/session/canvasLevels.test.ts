import { describe, expect, test } from "vitest";
import { canOpen, levelFor, levelOf, levelsIn, onLevel, prefixOf, shortId, shownOf } from "./canvasLevels";
import { freshId, paletteOf } from "./newStates";
import { paint, plainState } from "./optimisticEdits";
import { INITIAL, type GraphMaps, type SessionState } from "./state";
import type { Transition } from "../api";

const TRIAGE = "composition:triage";

const box = (id: string, level = "", more: object = {}) =>
  [id, { ...plainState(id, "prompt", "", level), ...more }] as const;

function arrow(source: string, label: string, target: string): readonly [string, Transition] {
  const id = `${source}|${label}|${target}`;
  return [id, { id, source, target, label, kind: "event", event: label, value: null, inert: false }];
}

const GRAPH: GraphMaps = {
  dialect: "promptpack",
  name: "Mail",
  entries: [
    { state: "read", key: "" },
    { state: "triage/look", key: TRIAGE },
  ],
  states: new Map([
    box("read", "", { inside: TRIAGE }),
    box("answer"),
    box("triage/look", TRIAGE),
    box("triage/facts", TRIAGE, { group: "triage/look" }),
  ]),
  transitions: new Map([
    arrow("read", "Answer", "answer"),
    arrow("read", "Away", "nowhere"),
    arrow("triage/look", "", "triage/facts"),
    arrow("triage/facts", "then", "triage/ghost"),
  ]),
  groups: [{ id: "triage/look", name: "look", kind: "parallel", parent: null }],
};

const state = (level: string, whole = GRAPH): SessionState => ({
  ...INITIAL,
  whole,
  level,
  palette: [
    { kind: "internal", title: "", description: "", suggested_id: "step", level: "" },
    { kind: "prompt", title: "", description: "", suggested_id: "step", level: "composition" },
  ],
  outline: [
    { kind: "composition", title: "", addable: true, items: [{ element: "composition:empty", label: "" }] },
    { kind: "tool", title: "", addable: true, items: [{ element: "tool:find", label: "" }] },
  ],
});

describe("what a level shows", () => {
  test.each([
    ["", ["read", "answer"], ["read|Answer|answer", "read|Away|nowhere"], ["read"], []],
    [
      TRIAGE,
      ["triage/look", "triage/facts"],
      ["triage/look||triage/facts", "triage/facts|then|triage/ghost"],
      ["triage/look"],
      ["triage/look"],
    ],
    ["composition:empty", [], [], [], []],
  ])("%s", (level, states, arrows, entries, groups) => {
    const shown = onLevel(GRAPH, level);
    expect([...shown.states.keys()]).toEqual(states);
    expect([...shown.transitions.keys()]).toEqual(arrows);
    expect(shown.entries.map((entry) => entry.state)).toEqual(entries);
    expect(shown.groups.map((group) => group.id)).toEqual(groups);
  });

  test("is the same object for the same graph", () => {
    expect(onLevel(GRAPH, TRIAGE)).toBe(onLevel(GRAPH, TRIAGE));
  });

  test("is the graph itself where there is one level only", () => {
    const flat = { ...GRAPH, states: new Map([box("a")]) };
    expect(onLevel(flat, "")).toBe(flat);
    expect(onLevel(flat, TRIAGE).states.size).toBe(0);
  });

  test("has no key beside the way in, since the level is called so", () => {
    expect(onLevel(GRAPH, TRIAGE).entries).toEqual([{ state: "triage/look", key: "" }]);
  });
});

describe("which levels there are", () => {
  test("those that boxes stand on or open", () => {
    expect([...levelsIn(GRAPH)]).toEqual(["", TRIAGE]);
  });

  test.each([
    ["", true],
    [TRIAGE, true],
    ["composition:empty", true],
    ["composition:gone", false],
    ["tool:find", false],
  ])("%s can be opened: %s", (level, can) => {
    expect(canOpen(state(""), level)).toBe(can);
  });

  test.each([
    ["state:read", ""],
    ["state:triage/look", TRIAGE],
    ["transition:triage/look||triage/facts", TRIAGE],
    ["transition:read|Answer|answer", ""],
    ["state:gone", null],
    ["tool:find", null],
  ])("%s stands on %s", (element, level) => {
    expect(levelOf(GRAPH, element)).toBe(level);
  });

  test("a level that is gone is left for the first one", () => {
    const whole = { ...GRAPH, states: new Map([box("answer")]) };
    expect(shownOf(state(TRIAGE), whole)).toMatchObject({ level: "" });
    expect(shownOf(state(TRIAGE), GRAPH).graph.states.has("triage/look")).toBe(true);
  });
});

describe("names on a level", () => {
  test("begin with what is drawn there", () => {
    expect(prefixOf(TRIAGE)).toBe("triage/");
    expect(shortId("triage/look", TRIAGE)).toBe("look");
    expect(shortId("triage/look", "")).toBe("triage/look");
    expect(levelFor(GRAPH, "triage/new")).toBe(TRIAGE);
    expect(levelFor(GRAPH, "new")).toBe("");
  });

  test("are free in the whole pack", () => {
    expect(freshId("look", state(TRIAGE))).toBe("triage/look_2");
    expect(freshId("look", state(""))).toBe("look");
    const taken = { level: "", whole: { ...GRAPH, states: new Map([box("new-stage"), box("step")]) } };
    expect(freshId("new-stage", taken)).toBe("new-stage-2");
    expect(freshId("step", taken)).toBe("step_2");
  });

  test("a box that was just added is painted on its level", () => {
    const painted = paint(GRAPH, [{ type: "add_state", id: "triage/new", kind: "tool" }]);
    expect(painted.states.get("triage/new")?.level).toBe(TRIAGE);
  });
});

test("the palette has what fits the level", () => {
  expect(paletteOf(state("")).map((item) => item.kind)).toEqual(["internal"]);
  expect(paletteOf(state(TRIAGE)).map((item) => item.kind)).toEqual(["prompt"]);
});
