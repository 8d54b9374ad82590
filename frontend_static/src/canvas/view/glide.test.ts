import { expect, test } from "vitest";
import { viewBetween } from "./glide";

const near = { x: -300, y: -120, zoom: 1.5 };
const far = { x: 240, y: 80, zoom: 0.3 };

/** The page position of a scene point. */
const seen = (view: typeof near, point: number) => point * view.zoom + view.x;

test("a glide starts and ends at its views", () => {
  for (const [part, view] of [
    [0, near],
    [1, far],
  ] as const)
    for (const name of ["x", "y", "zoom"] as const)
      expect(viewBetween(near, far, part)[name]).toBeCloseTo(view[name]);
});

test("the zoom changes at an even rate", () => {
  const [one, two] = [viewBetween(near, far, 0.25), viewBetween(near, far, 0.5)];
  expect(one.zoom / near.zoom).toBeCloseTo(two.zoom / one.zoom);
});

test("a point at the same place in both views stays there", () => {
  const fixed = (far.x - near.x) / (near.zoom - far.zoom);
  for (const part of [0.2, 0.5, 0.9])
    expect(seen(viewBetween(near, far, part), fixed)).toBeCloseTo(seen(near, fixed));
});

test("a pan at one zoom is even", () => {
  const moved = { ...near, x: 100 };
  expect(viewBetween(near, moved, 0.5).x).toBeCloseTo(-100);
});
