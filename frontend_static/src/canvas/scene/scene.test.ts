import { beforeEach, describe, expect, test } from "vitest";
import { emptyState, type GraphMaps, type State, type Transition } from "../../session";
import { hitTest } from "../view/hitTest";
import { distanceTo, sourceHandle, type Route } from "./arrowPath";
import { Scene } from "./scene";
import { contains, padded } from "./geometry";

const NONE: ReadonlySet<string> = new Set();

const at = (id: string, x: number, y: number): State => ({ ...emptyState(id, "prompt"), x, y });

function arrow(source: string, label: string, target: string): Transition {
  const id = `${source}|${label}|${target}`;
  return { id, source, target, label, kind: "event", event: label, value: null, inert: false };
}

function graphOf(states: State[], arrows: Transition[]): GraphMaps {
  return {
    dialect: "",
    name: "",
    entries: [],
    states: new Map(states.map((one) => [one.id, one])),
    transitions: new Map(arrows.map((one) => [one.id, one])),
    groups: [],
  };
}

let scene: Scene;
beforeEach(() => {
  scene = new Scene();
});

const show = (states: State[], arrows: Transition[]) =>
  scene.update(graphOf(states, arrows), new Map());
/** Arrows are curves in a large graph, and while a card is dragged. */
function showCurves(states: State[], arrows: Transition[]): void {
  show(states, arrows);
  scene.movePreview([]);
}
const route = (id: string): Route => scene.route(id) as Route;

describe("arrow routes", () => {
  test("an arrow ahead leaves on the right and enters on the left", () => {
    show([at("a", 0, 0), at("b", 400, 0)], [arrow("a", "go", "b")]);
    expect(route("a|go|b").start).toEqual({ x: 208, y: 36 });
    expect(route("a|go|b").tip).toEqual({ x: 400, y: 36 });
    expect(route("a|go|b").angle).toBe(0);
  });

  test("an arrow to a card below leaves at the bottom and enters at the top", () => {
    show([at("a", 0, 0), at("b", 20, 300)], [arrow("a", "go", "b")]);
    expect(route("a|go|b").start.y).toBe(72);
    expect(route("a|go|b").tip.y).toBe(300);
    expect(route("a|go|b").angle).toBe(90);
  });

  test("a loop is above its card, and a second loop above the first", () => {
    showCurves([at("a", 0, 0)], [arrow("a", "again", "a"), arrow("a", "once more", "a")]);
    const [inner, outer] = [route("a|again|a").label.y, route("a|once more|a").label.y];
    expect(inner).toBeLessThan(-18);
    expect(inner - outer).toBeGreaterThanOrEqual(18);
  });

  test("branches of a fork share a stem, and meet in one before their join", () => {
    const branch = (source: string, kind: "fork" | "join", target: string): Transition => ({
      ...arrow(source, kind, target),
      kind,
      event: "",
    });
    showCurves(
      [at("a", 0, 100), at("b", 400, 0), at("c", 400, 200), at("d", 800, 100)],
      [
        branch("a", "fork", "b"),
        branch("a", "fork", "c"),
        branch("b", "join", "d"),
        branch("c", "join", "d"),
      ],
    );
    const [up, down] = [route("a|fork|b"), route("a|fork|c")];
    expect(up.start).toEqual(down.start);
    expect(up.stem).toEqual(down.stem);
    expect(up.stem?.x).toBeGreaterThan(up.start.x);
    const [one, two] = [route("b|join|d"), route("c|join|d")];
    expect(one.stem).toEqual(two.stem);
    expect(one.stem?.x).toBeLessThan(800);
    expect([one.tip, one.points.at(-1)]).toEqual([two.tip, two.tip]);
    expect(one.tip).toEqual({ x: 800, y: 136 });
  });

  test("labels and ends of parallel arrows do not overlap", () => {
    const labels = ["one", "two", "three"];
    showCurves(
      [at("a", 0, 0), at("b", 500, 0)],
      labels.map((label) => arrow("a", label, "b")),
    );
    const routes = labels
      .map((label) => route(`a|${label}|b`))
      .sort((x, y) => x.label.y - y.label.y);
    for (const [index, one] of routes.slice(1).entries()) {
      expect(one.label.y - (routes[index] as Route).label.y).toBeGreaterThanOrEqual(18);
      expect(one.start.y - (routes[index] as Route).start.y).toBe(16);
    }
  });

  test("a forward and a back arrow are two separate lines", () => {
    show([at("a", 0, 0), at("b", 400, 0)], [arrow("a", "go", "b"), arrow("b", "back", "a")]);
    const [go, back] = [route("a|go|b").label, route("b|back|a").label];
    expect(Math.hypot(go.x - back.x, go.y - back.y)).toBeGreaterThan(30);
  });

  test("no arrow crosses a card between its ends", () => {
    const states = [at("a", 0, 0), at("b", 400, 0), at("c", 800, 0)];
    show(states, [arrow("a", "skip", "c"), arrow("c", "back", "a")]);
    const between = padded(scene.cards.get("b") as never, 2);
    for (const id of ["a|skip|c", "c|back|a"])
      for (const point of route(id).points) expect(contains(between, point.x, point.y)).toBe(false);
  });

  test("two back arrows along the same route use separate lanes", () => {
    const states = [at("a", 0, 0), at("b", 400, 0), at("c", 800, 0)];
    show(states, [arrow("c", "x", "a"), arrow("c", "y", "a")]);
    expect(Math.abs(route("c|x|a").label.y - route("c|y|a").label.y)).toBeGreaterThanOrEqual(11);
  });

  test("curves of a large graph depend neither on what was seen first nor on earlier edits", () => {
    const filler = Array.from({ length: 300 }, (_, n) => at(`f${n}`, 0, 1_000 + 100 * n));
    const states = [at("a", 0, 0), at("b", 400, 0), at("c", 800, 0), ...filler];
    const [x, y, z] = [arrow("c", "x", "a"), arrow("c", "y", "a"), arrow("b", "z", "a")];
    const ids = [x, y, z].map((one) => one.id);
    show(states, [x, y, z]);
    const drawn = new Map(ids.map((id) => [id, route(id)]));
    const later = new Scene();
    later.update(graphOf(states, [z]), new Map());
    later.route(z.id);
    later.update(graphOf(states, [z, y, x]), new Map());
    for (const id of [...ids].reverse()) expect(later.route(id)).toEqual(drawn.get(id));
  });

  test("when a card moves, its arrows follow", () => {
    show([at("a", 0, 0), at("b", 400, 0)], [arrow("a", "go", "b")]);
    const before = route("a|go|b").tip;
    scene.movePreview([["b", { x: 480, y: 40 }]]);
    expect(route("a|go|b").tip).toEqual({ x: before.x + 80, y: before.y + 40 });
  });

  test("an arrow is rerouted around a card that is dropped on it", () => {
    show([at("a", 0, 0), at("b", 400, 400), at("c", 800, 0)], [arrow("a", "skip", "c")]);
    expect(route("a|skip|c").label.y).toBeCloseTo(36);
    scene.movePreview([["b", { x: 400, y: 0 }]]);
    const card = scene.cards.get("b") as never;
    scene.reroute([card]);
    for (const point of route("a|skip|c").points)
      expect(contains(card, point.x, point.y)).toBe(false);
  });

  test("a missing target has a stub until it exists", () => {
    show([at("a", 0, 0)], [arrow("a", "go", "ghost")]);
    expect(scene.cards.get("ghost")?.state).toBeNull();
    expect(scene.route("a|go|ghost")).toBeDefined();
    show([at("a", 0, 0), at("ghost", 600, 0)], [arrow("a", "go", "ghost")]);
    expect(scene.cards.get("ghost")?.state?.id).toBe("ghost");
    show([at("a", 0, 0)], []);
    expect([...scene.cards.keys()]).toEqual(["a"]);
  });
});

describe("hit test", () => {
  beforeEach(() => show([at("a", 0, 0), at("b", 400, 0)], [arrow("a", "go", "b")]));

  test.each([
    ["a card", 100, 40, 1, { kind: "state", id: "a" }],
    ["its right port", 208, 36, 1, { kind: "port", state: "a" }],
    ["its left edge, to move it", 1, 36, 1, { kind: "state", id: "a" }],
    ["the pill", 304, 36, 1, { kind: "transition", id: "a|go|b" }],
    ["empty ground", 304, 300, 1, { kind: "empty" }],
    ["a card, from far", 100, 40, 0.1, { kind: "state", id: "a" }],
    ["a line, from far", 304, 60, 0.1, { kind: "transition", id: "a|go|b" }],
  ])("%s", (_name, x, y, zoom, hit) => {
    expect(hitTest(scene, { x, y }, zoom, NONE)).toEqual(hit);
  });

  test("the source handle of a selected arrow does not cover the port", () => {
    show([at("a", 0, 0), at("b", 400, 0)], [arrow("a", "go", "b")]);
    const selected = new Set(["transition:a|go|b"]);
    const { start } = route("a|go|b");
    expect(hitTest(scene, start, 1, selected)).toEqual({ kind: "port", state: "a" });
    const handle = sourceHandle(route("a|go|b"));
    expect(hitTest(scene, handle, 1, selected)).toEqual({
      kind: "end",
      transition: "a|go|b",
      end: "source",
    });
  });

  test("the end of a selected arrow can be dragged", () => {
    const tip = route("a|go|b").tip;
    expect(hitTest(scene, tip, 1, new Set(["transition:a|go|b"]))).toEqual({
      kind: "end",
      transition: "a|go|b",
      end: "target",
    });
  });

  test("the distance to an arrow is measured to its drawn line", () => {
    expect(distanceTo(route("a|go|b"), { x: 304, y: 46 })).toBeCloseTo(10, 0);
  });
});

describe("an undo of a first move", () => {
  const floating = (id: string): State => emptyState(id, "prompt");
  const place = (id: string) => ({ x: scene.cards.get(id)?.x, y: scene.cards.get(id)?.y });

  beforeEach(() => {
    scene.update(
      graphOf([floating("a"), floating("b")], []),
      new Map([
        ["a", { x: 10.5, y: 20 }],
        ["b", { x: 400, y: 0 }],
      ]),
    );
  });

  test("returns the card to its automatic position", () => {
    scene.movePreview([["a", { x: 96, y: 200 }]]);
    show([at("a", 96, 200), at("b", 400, 0)], []);
    show([floating("a"), floating("b")], []);
    expect(place("a")).toEqual({ x: 10.5, y: 20 });
    expect(place("b")).toEqual({ x: 400, y: 0 });
    expect(scene.cards.get("a")?.unplaced).toBe(true);
  });

  test("returns it in a second round too, and a redo moves it again", () => {
    for (const y of [200, 300]) {
      show([at("a", 96, y), at("b", 400, 0)], []);
      expect(place("a")).toEqual({ x: 96, y });
      show([floating("a"), floating("b")], []);
      expect(place("a")).toEqual({ x: 10.5, y: 20 });
    }
  });

  test("does not take a card from the pointer that drags it", () => {
    scene.movePreview([["a", { x: 96, y: 200 }]]);
    show([{ ...floating("a"), name: "A" }, floating("b")], []);
    expect(place("a")).toEqual({ x: 96, y: 200 });
  });

  test("needs a layout if the page was opened after the move", () => {
    scene = new Scene();
    show([at("a", 96, 200), at("b", 400, 0)], []);
    expect(scene.hasLostPositions(graphOf([floating("a"), floating("b")], []))).toBe(true);
    expect(scene.hasLostPositions(graphOf([floating("a"), at("b", 400, 0)], []))).toBe(false);
    expect(scene.hasLostPositions(graphOf([], []))).toBe(false);
  });
});
