import { expect, test } from "vitest";
import { toGraphMaps } from "../../session/state";
import { withDynamicGraph } from "../../session/dynamicGraph";
import { Scene } from "../scene/scene";
import { overlaps } from "../scene/geometry";
import { placeNewStates } from "./placeNewStates";

const state = (id: string, x: number | null, y: number | null) =>
  ({ id, x, y, name: "", level: "" }) as never;
const base = toGraphMaps({
  dialect: "",
  name: "",
  entries: [],
  states: [state("lead", 0, 0), state("near", 296, 0)],
  transitions: [],
  groups: [],
} as never);

function grownBy(count: number): { scene: Scene; ids: string[] } {
  const ids = Array.from({ length: count }, (_, index) => `new${index}`);
  const by = Object.fromEntries(ids.map((id) => [id, "lead"]));
  const whole = withDynamicGraph(base, {
    states: ids.map((id) => state(id, null, null)),
    transitions: [],
    addedBy: by,
  });
  const scene = new Scene();
  scene.update(base, new Map());
  scene.update(whole, placeNewStates(scene, whole, ids, new Map()));
  return { scene, ids };
}

test("newcomers stand right of whoever added them, clear of everything, and nothing else moves", () => {
  const { scene, ids } = grownBy(60);
  const boxes = [...scene.boxes.values()];
  expect(boxes).toHaveLength(62);
  expect(scene.boxes.get("lead")).toMatchObject({ x: 0, y: 0 });
  expect(scene.boxes.get("near")).toMatchObject({ x: 296, y: 0 });
  for (const id of ids) expect(scene.boxes.get(id)?.x).toBeGreaterThan(208);
  const clashes = boxes.flatMap((a, index) => boxes.slice(index + 1).filter((b) => overlaps(a, b)));
  expect(clashes).toEqual([]);
});

test("many of them make a block and not a tower", () => {
  const bounds = grownBy(60).scene.bounds();
  expect(bounds?.h).toBeLessThan((bounds?.w ?? 0) * 2);
});
