import type { ElkNode } from "elkjs/lib/elk-api";
import { expect, test } from "vitest";
import { withSavedLayouts, type LayoutStore } from "./savedLayouts";

function memory(): LayoutStore {
  const kept = new Map<string, ElkNode>();
  return {
    get: (key) => Promise.resolve(kept.get(key)),
    put: (key, layout) => Promise.resolve(void kept.set(key, layout)),
  };
}

function counting() {
  const calls = { starts: 0, layouts: 0 };
  const start = () => {
    calls.starts += 1;
    return Promise.resolve({
      layout: (graph: ElkNode) => {
        calls.layouts += 1;
        return Promise.resolve({ ...graph, x: calls.layouts });
      },
    });
  };
  return { calls, start };
}

const graph = (width: number): ElkNode => ({ id: "root", children: [{ id: "sa", width }] });

test("a graph is laid out once, and the engine starts with the first", async () => {
  const store = memory();
  const { calls, start } = counting();
  const engine = withSavedLayouts(start, store);
  expect(calls).toEqual({ starts: 0, layouts: 0 });
  const first = await engine.layout(graph(208));
  expect(await engine.layout(graph(208))).toEqual(first);
  expect(calls).toEqual({ starts: 1, layouts: 1 });
  expect((await engine.layout(graph(209))).x).toBe(2);
  expect(calls).toEqual({ starts: 1, layouts: 2 });
  expect(await withSavedLayouts(start, store).layout(graph(209))).toHaveProperty("x", 2);
  expect(calls).toEqual({ starts: 1, layouts: 2 });
});

test("a browser without storage lays out each time", async () => {
  const { calls, start } = counting();
  const broken = () => Promise.reject(new Error("none"));
  const engine = withSavedLayouts(start, { get: broken, put: broken });
  await engine.layout(graph(208));
  await engine.layout(graph(208));
  expect(calls).toEqual({ starts: 1, layouts: 2 });
});
