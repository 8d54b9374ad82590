import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { storeBreakpoints, loadBreakpoints } from "./breakpoints";

let stored: Map<string, string>;

beforeEach(() => {
  stored = new Map();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  });
});

afterEach(() => vi.unstubAllGlobals());

test("breakpoints are stored per pack, and an empty set removes the entry", () => {
  storeBreakpoints("7", new Set(["review", "draft|Submit|review"]));
  expect([...loadBreakpoints("7")]).toEqual(["review", "draft|Submit|review"]);
  expect(loadBreakpoints("8").size).toBe(0);
  storeBreakpoints("7", new Set());
  expect(stored.size).toBe(0);
});

test("invalid stored values are ignored", () => {
  stored.set("signalbox.breakpoints.7", "{");
  expect(loadBreakpoints("7").size).toBe(0);
  stored.set("signalbox.breakpoints.7", '["review", 3]');
  expect([...loadBreakpoints("7")]).toEqual(["review"]);
});

test("a full storage does not throw", () => {
  const full = () => {
    throw new Error("full");
  };
  vi.stubGlobal("localStorage", { getItem: full, setItem: full, removeItem: full });
  expect(() => storeBreakpoints("7", new Set(["a"]))).not.toThrow();
  expect(loadBreakpoints("7").size).toBe(0);
});
