import { expect, test } from "vitest";
import { withToggled } from "./breakpoints";
import { foldTo } from "./fold";
import { overlayOf } from "./overlay";

test("toggling sets a missing breakpoint and clears an existing one", () => {
  expect(withToggled(["review"], "draft|Submit|review")).toEqual(["review", "draft|Submit|review"]);
  expect(withToggled(["review", "draft"], "review")).toEqual(["draft"]);
});

test("the overlay has the newest breakpoints, and a held position keeps the pause's reason", () => {
  const view = foldTo(
    [
      { n: 1, at: 1, type: "run.started", breakpoints: ["draft"] },
      { n: 2, at: 1, type: "run.breakpoints", ids: ["review"] },
      { n: 3, at: 2, type: "run.paused", reason: "breakpoint: review" },
      { n: 4, at: 2, type: "run.paused", position: "0", state: "review" },
    ],
    4,
  );
  expect([...(overlayOf(view).breakpoints ?? [])]).toEqual(["review"]);
  expect(view.reason).toBe("breakpoint: review");
});
