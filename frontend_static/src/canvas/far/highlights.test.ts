import { describe, expect, it } from "vitest";
import type { Context2D, PaintInput } from "./painting";
import { NO_CARRY, paintHighlights } from "./highlights";

const CARD = { x: 0, y: 0, w: 160, h: 60 };

/** The colour and the width of each stroke. */
function strokes(conflicts: string[], selection: string[]): string[] {
  const drawn: string[] = [];
  const context = {
    strokeStyle: "",
    lineWidth: 0,
    globalAlpha: 1,
    beginPath: () => undefined,
    moveTo: () => undefined,
    lineTo: () => undefined,
    rect: () => undefined,
    stroke: () => drawn.push(`${context.strokeStyle} ${context.lineWidth}`),
  };
  const picture = {
    scene: {
      cards: new Map([
        ["a", CARD],
        ["b", CARD],
      ]),
      arrows: new Map([["a|Next|b", { source: "a", target: "b" }]]),
      route: () => ({ points: [CARD, CARD] }),
    },
    session: { conflictElements: new Set(conflicts), selection: new Set(selection) },
    colours: { warning: "amber", accent: "violet" },
    zoom: 1,
  };
  paintHighlights(context as unknown as Context2D, picture as unknown as PaintInput, {
    hovered: null,
    carry: NO_CARRY,
    pulse: 0,
    selectionInStaticLayer: false,
  });
  return drawn;
}

describe("conflicts in the far view", () => {
  it("are outlined, and stay visible around the selection", () => {
    expect(strokes(["transition:a|Next|b", "state:b"], ["transition:a|Next|b"])).toEqual([
      "amber 6",
      "amber 2",
      "violet 2.5",
    ]);
  });

  it("are not painted without conflicts", () => {
    expect(strokes([], [])).toEqual([]);
  });
});
