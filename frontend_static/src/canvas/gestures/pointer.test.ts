import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Stage } from "../view/stage";
import type { Drag, Gesture } from "./gesture";
import { listenToPointer } from "./pointer";

/** The part of a DOM element that the pointer code uses. These tests have no page. */
class Box extends EventTarget {
  readonly classList = { add: () => undefined, remove: () => undefined, toggle: () => false };
  closest = () => null;
  contains = () => false;
  focus = () => undefined;
  blur = () => undefined;
  getBoundingClientRect = () => ({ left: 0, top: 0, right: 1000, bottom: 1000 });
}

const STAGE = {
  hitTest: () => ({ kind: "canvas" }),
  toScene: (x: number, y: number) => ({ x, y }),
  hover: { get: () => ({ element: null }), set: () => undefined },
  pan: () => undefined,
  openMenu: (x: number, y: number) => void calls.push(`menu ${x} ${y}`),
} as unknown as Stage;

let calls: string[] = [];
let root: Box;
let stop: () => void;

const DRAG: Drag = {
  move: () => void calls.push("move"),
  drop: () => void calls.push("drop"),
  cancel: () => void calls.push("cancel"),
};

const GESTURE: Gesture = {
  name: "test",
  holds: () => true,
  drag: () => {
    calls.push("drag");
    return DRAG;
  },
  click: () => void calls.push("click"),
};

const MOUSE = { button: 0, buttons: 1, isPrimary: true, pointerId: 1, pointerType: "mouse" };

function pointer(type: string, target: EventTarget, x: number, y: number, more = {}): void {
  const event = new Event(type, { bubbles: true, cancelable: true });
  target.dispatchEvent(Object.assign(event, { ...MOUSE, clientX: x, clientY: y, ...more }));
}

const down = (x: number, y: number) => pointer("pointerdown", root, x, y);
const move = (x: number, y: number) => pointer("pointermove", window, x, y);
const up = (x: number, y: number) => pointer("pointerup", window, x, y);

beforeEach(() => {
  vi.stubGlobal("Element", Box);
  vi.stubGlobal("HTMLElement", Box);
  vi.stubGlobal("Node", Box);
  vi.stubGlobal("window", new EventTarget());
  vi.stubGlobal("document", { activeElement: null });
  vi.stubGlobal("requestAnimationFrame", () => 1);
  vi.stubGlobal("cancelAnimationFrame", () => undefined);
  calls = [];
  root = new Box();
  stop = listenToPointer(root as unknown as HTMLElement, STAGE, [GESTURE]);
});

afterEach(() => {
  stop();
  vi.unstubAllGlobals();
});

describe("small pointer movements", () => {
  test.each([
    [0, 0],
    [1, 0],
    [0, -3],
    [2, 2],
  ])("a movement by %i and %i pixels is a click", (x, y) => {
    down(100, 100);
    move(100 + x, 100 + y);
    up(100 + x, 100 + y);
    expect(calls).toEqual(["click"]);
  });

  test("a movement by four pixels starts a drag", () => {
    down(100, 100);
    move(103, 100);
    expect(calls).toEqual([]);
    move(104, 100);
    move(101, 100);
    up(101, 100);
    expect(calls).toEqual(["drag", "move", "move", "drop"]);
  });
});

describe("fingers", () => {
  const finger = { pointerType: "touch" };
  const press = (x: number, y: number) => pointer("pointerdown", root, x, y, finger);
  const slide = (x: number, y: number) => pointer("pointermove", window, x, y, finger);
  const lift = (x: number, y: number) => pointer("pointerup", window, x, y, finger);

  test("a finger on an element that is not selected pans", () => {
    press(100, 100);
    slide(140, 100);
    lift(140, 100);
    expect(calls).toEqual([]);
  });

  test("a finger that moves by eight pixels is no tap", () => {
    press(100, 100);
    slide(107, 100);
    lift(107, 100);
    expect(calls).toEqual(["click"]);
    press(100, 100);
    slide(108, 100);
    lift(108, 100);
    expect(calls).toEqual(["click"]);
  });

  test("a long press opens the menu and is no tap", () => {
    vi.useFakeTimers();
    press(100, 100);
    vi.advanceTimersByTime(500);
    lift(100, 100);
    vi.useRealTimers();
    expect(calls).toEqual(["menu 100 100"]);
  });

  test("a second finger ends a drag, because it zooms", () => {
    down(100, 100);
    move(120, 100);
    pointer("pointerdown", root, 200, 200, { isPrimary: false, pointerId: 2 });
    expect(calls).toEqual(["drag", "move", "cancel"]);
  });
});
