import { describe, expect, test } from "vitest";
import {
  canOpenLevel,
  levelForId,
  levelOf,
  levelsIn,
  graphAtLevel,
  idPrefix,
  shortId,
  graphsToShow,
} from "./canvasLevels";
import { newStateId, paletteOf } from "./newStates";
import { applyEdits, emptyState } from "./optimisticEdits";
import { INITIAL, type GraphMaps, type SessionState } from "./state";
import type { Transition } from "../api";

const TRIAGE = "composition:triage";

const box = (id: string, level = "", more: object = {}) =>
  [id, { ...emptyState(id, "prompt", "", level), ...more }] as const;

function arrow(source: string, label: string, target: string): readonly [string, Transition] {
  const id = `${source}|${label}|${target}`;
  return [
    id,
    { id, source, target, label, kind: "event", event: label, value: null, inert: false },
  ];
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

const state = (level: string, fullGraph = GRAPH): SessionState => ({
  ...INITIAL,
  fullGraph,
  level,
  palette: [
    {
      kind: "internal",
      title: "",
      description: "",
      suggested_id: "step",
      level: "",
      id_pattern: "",
      id_rule: "",
    },
    {
      kind: "prompt",
      title: "",
      description: "",
      suggested_id: "step",
      level: "composition",
      id_pattern: "",
      id_rule: "",
    },
  ],
  outline: [
    {
      kind: "composition",
      title: "",
      addable: true,
      items: [{ element: "composition:empty", label: "" }],
    },
    { kind: "tool", title: "", addable: true, items: [{ element: "tool:find", label: "" }] },
  ],
});

describe("the graph at a level", () => {
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
    const atLevel = graphAtLevel(GRAPH, level);
    expect([...atLevel.states.keys()]).toEqual(states);
    expect([...atLevel.transitions.keys()]).toEqual(arrows);
    expect(atLevel.entries.map((entry) => entry.state)).toEqual(entries);
    expect(atLevel.groups.map((group) => group.id)).toEqual(groups);
  });

  test("is the same object for the same graph", () => {
    expect(graphAtLevel(GRAPH, TRIAGE)).toBe(graphAtLevel(GRAPH, TRIAGE));
  });

  test("is the graph itself where there is one level only", () => {
    const flat = { ...GRAPH, states: new Map([box("a")]) };
    expect(graphAtLevel(flat, "")).toBe(flat);
    expect(graphAtLevel(flat, TRIAGE).states.size).toBe(0);
  });

  test("has no key on an entry named like the level", () => {
    expect(graphAtLevel(GRAPH, TRIAGE).entries).toEqual([{ state: "triage/look", key: "" }]);
  });
});

describe("the levels of a graph", () => {
  test("are those of its states and those that its states open", () => {
    expect([...levelsIn(GRAPH)]).toEqual(["", TRIAGE]);
  });

  test.each([
    ["", true],
    [TRIAGE, true],
    ["composition:empty", true],
    ["composition:gone", false],
    ["tool:find", false],
  ])("%s can be opened: %s", (level, can) => {
    expect(canOpenLevel(state(""), level)).toBe(can);
  });

  test.each([
    ["state:read", ""],
    ["state:triage/look", TRIAGE],
    ["transition:triage/look||triage/facts", TRIAGE],
    ["transition:read|Answer|answer", ""],
    ["state:gone", null],
    ["tool:find", null],
  ])("the level of %s is %s", (element, level) => {
    expect(levelOf(GRAPH, element)).toBe(level);
  });

  test("a missing level falls back to the top level", () => {
    const fullGraph = { ...GRAPH, states: new Map([box("answer")]) };
    expect(graphsToShow(state(TRIAGE), fullGraph)).toMatchObject({ level: "" });
    expect(graphsToShow(state(TRIAGE), GRAPH).graph.states.has("triage/look")).toBe(true);
  });
});

describe("ids on a level", () => {
  test("begin with the level's key", () => {
    expect(idPrefix(TRIAGE)).toBe("triage/");
    expect(shortId("triage/look", TRIAGE)).toBe("look");
    expect(shortId("triage/look", "")).toBe("triage/look");
    expect(levelForId(GRAPH, "triage/new")).toBe(TRIAGE);
    expect(levelForId(GRAPH, "new")).toBe("");
  });

  test("are unique in the whole pack", () => {
    expect(newStateId("look", state(TRIAGE))).toBe("triage/look_2");
    expect(newStateId("look", state(""))).toBe("look");
    const used = {
      level: "",
      fullGraph: { ...GRAPH, states: new Map([box("new-stage"), box("step")]) },
    };
    expect(newStateId("new-stage", used)).toBe("new-stage-2");
    expect(newStateId("step", used)).toBe("step_2");
  });

  test("a new state is shown on its level", () => {
    const painted = applyEdits(GRAPH, [{ type: "add_state", id: "triage/new", kind: "tool" }]);
    expect(painted.states.get("triage/new")?.level).toBe(TRIAGE);
  });
});

test("the palette has the kinds of the shown level", () => {
  expect(paletteOf(state("")).map((item) => item.kind)).toEqual(["internal"]);
  expect(paletteOf(state(TRIAGE)).map((item) => item.kind)).toEqual(["prompt"]);
});
