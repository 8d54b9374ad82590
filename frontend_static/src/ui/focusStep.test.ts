import { describe, expect, it } from "vitest";
import { focusStep } from "./focusStep";

describe("focusStep", () => {
  it("moves by one and wraps around", () => {
    expect(focusStep("ArrowDown", 0, 3, "vertical")).toBe(1);
    expect(focusStep("ArrowDown", 2, 3, "vertical")).toBe(0);
    expect(focusStep("ArrowLeft", 0, 3, "horizontal")).toBe(2);
  });

  it("goes to the first and the last item", () => {
    expect(focusStep("Home", 2, 3, "vertical")).toBe(0);
    expect(focusStep("End", 0, 3, "horizontal")).toBe(2);
  });

  it("starts at an end if no item has the focus", () => {
    expect(focusStep("ArrowDown", -1, 3, "vertical")).toBe(0);
    expect(focusStep("ArrowUp", -1, 3, "vertical")).toBe(2);
  });

  it("ignores keys of the other axis, other keys and empty lists", () => {
    expect(focusStep("ArrowRight", 0, 3, "vertical")).toBeNull();
    expect(focusStep("a", 0, 3, "vertical")).toBeNull();
    expect(focusStep("Home", -1, 0, "vertical")).toBeNull();
  });
});
