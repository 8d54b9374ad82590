import { describe, expect, test } from "vitest";
import { emptyState, type GraphMaps, type State, type Transition } from "../../session";
import type { Colours } from "../far/colours";
import { Scene } from "../scene/scene";
import { drawAtOnce, drawingParts, drawInSteps, type DrawingInput } from "./graphPicture";
import { paintWith } from "./paint";
import { readXml, type XmlElement } from "./tests/xmlReader";

const COLOURS: Colours = {
  bg: "#f6f6f8",
  surface: "#ffffff",
  surface2: "#f0f0f4",
  line: "#e2e2e9",
  strong: "#8b8e9b",
  text: "#1d1e24",
  muted: "#5c5f6b",
  accent: "#5449d0",
  error: "#c0202b",
  warning: "#8f5b03",
  hint: "#0b64b1",
  ok: "#1b7739",
  kinds: Array.from({ length: 8 }, (_, index) => `#70670${index}`),
  softKinds: [],
};

const HOSTILE = `<script>alert("1")</script> & 'x' ]]> \u0000\u000b\ud800 -->`;

const state = (id: string, x: number, y: number, more: Partial<State> = {}): State => ({
  ...emptyState(id, "prompt"),
  x,
  y,
  ...more,
});

function arrow(source: string, label: string, target: string): Transition {
  const id = `${source}|${label}|${target}`;
  return { id, source, target, label, kind: "event", event: label, value: null, inert: false };
}

function input(states: State[], arrows: Transition[], more: Partial<GraphMaps> = {}): DrawingInput {
  const graph: GraphMaps = {
    dialect: "",
    name: "",
    entries: [],
    groups: [],
    ...more,
    states: new Map(states.map((one) => [one.id, one])),
    transitions: new Map(arrows.map((one) => [one.id, one])),
  };
  const scene = new Scene();
  scene.update(graph, new Map());
  return {
    title: "A pack",
    scene,
    groups: graph.groups,
    paint: paintWith(COLOURS, () => "icon-1"),
    symbols: '<symbol id="icon-1" viewBox="0 0 24 24"><path d="M0 0h24"/></symbol>',
  };
}

const draw = (from: DrawingInput): XmlElement => readXml(drawAtOnce(drawingParts(from)));

const marked = (root: XmlElement, name: string): string[] =>
  root.all.flatMap((one) => one.attributes[name] ?? []);
const texts = (root: XmlElement): string[] =>
  root.all.filter((one) => one.name === "text").map((one) => one.text);

describe("a drawing", () => {
  test("is well-formed and has every state, arrow, label, group and entry", () => {
    const root = draw(
      input(
        [
          state("ask", 0, 0, { name: "Ask the user", role: "clerk", counts: { tools: 3 } }),
          state("do", 400, 0, { group: "team", max_visits: 4 }),
          state("done", 800, 0, { terminal: true, inside: "composition:x" }),
          state("note", 0, 300, { stateless: true }),
        ],
        [arrow("ask", "Next", "do"), arrow("do", "Again", "do"), arrow("do", "Done", "done")],
        {
          entries: [{ key: "main", state: "ask" }],
          groups: [{ id: "team", name: "The team", kind: "fork", parent: null }],
        },
      ),
    );
    expect(marked(root, "data-state").sort()).toEqual(["ask", "do", "done", "note"]);
    expect(marked(root, "data-transition")).toHaveLength(3);
    expect(marked(root, "data-label").sort()).toEqual(["Again", "Done", "Next"]);
    expect(marked(root, "data-group")).toEqual(["team"]);
    expect(marked(root, "data-entry")).toEqual(["ask"]);
    for (const words of [
      "ask",
      "Ask the user",
      "clerk",
      "3",
      "≤4",
      "Next",
      "The team fork",
      "main",
    ])
      expect(texts(root)).toContain(words);
  });

  test("escapes hostile names and adds no element for them", () => {
    const harmless = draw(
      input([state("a", 0, 0, { name: "n", role: "r" })], [arrow("a", "e", "a")]),
    );
    const root = draw({
      ...input(
        [state(HOSTILE, 0, 0, { name: `${HOSTILE}!`, role: HOSTILE })],
        [arrow(HOSTILE, HOSTILE, HOSTILE)],
      ),
      title: HOSTILE,
    });
    expect(root.all.map((one) => one.name)).toEqual(harmless.all.map((one) => one.name));
    const shown = HOSTILE.replace("\u0000\u000b\ud800", "\ufffd\ufffd\ufffd");
    expect(marked(root, "data-state")).toEqual([shown]);
    expect(marked(root, "data-label")).toEqual([shown]);
  });

  test("needs no other file and no script", () => {
    const root = draw(input([state("a", 0, 0), state("b", 400, 0)], [arrow("a", "go", "b")]));
    const names = new Set(root.all.map((one) => one.name));
    for (const name of ["foreignObject", "script", "style", "image", "a"])
      expect(names).not.toContain(name);
    for (const address of marked(root, "href")) expect(address).toMatch(/^#/);
    expect(marked(root, "style")).toEqual([]);
  });

  test("holds everything inside its view box", () => {
    const root = draw(
      input([state("a", -100, -50), state("b", 700, 400)], [arrow("b", "back", "a")], {
        entries: [{ key: "", state: "a" }],
      }),
    );
    const [x, y, w, h] = (root.attributes.viewBox ?? "").split(" ").map(Number) as [
      number,
      number,
      number,
      number,
    ];
    expect(x).toBeLessThan(-139);
    expect(y).toBeLessThan(-50);
    expect(x + w).toBeGreaterThan(908);
    expect(y + h).toBeGreaterThan(472);
    expect([root.attributes.width, root.attributes.height]).toEqual([String(w), String(h)]);
  });

  test("marks a target that does not exist, and the end of the run", () => {
    const root = draw(
      input([state("a", 0, 0)], [arrow("a", "go", "nowhere"), arrow("a", "stop", "")]),
    );
    expect(marked(root, "data-stub")).toEqual(["nowhere"]);
    expect(marked(root, "data-end")).toEqual(["true"]);
  });

  test("of 5,000 states is made in steps that let the page react", async () => {
    const states = Array.from({ length: 5_000 }, (_, n) =>
      state(`s${n}`, (n % 100) * 300, Math.floor(n / 100) * 140),
    );
    const arrows = states.slice(1).map((one, n) => arrow(`s${n}`, "Next", one.id));
    let turns = 0;
    const timer = setInterval(() => (turns += 1));
    const svg = await drawInSteps(drawingParts(input(states, arrows)));
    clearInterval(timer);
    expect(turns).toBeGreaterThan(2);
    expect(svg.match(/data-state=/g)).toHaveLength(5_000);
    expect(svg.match(/data-label=/g)).toHaveLength(4_999);
  });
});
