import { describe, expect, test } from "vitest";
import { type Bare, viewAfter } from "./logs.testing";
import { overlayOf } from "./overlay";

describe("an owed reply", () => {
  const arrow = (source: string, target: string) =>
    ({ id: `${source}|task|${target}`, source, target }) as never;
  const owed = (open: boolean) => ({
    type: "agent_graph.reply_owed",
    envelope: "h1",
    by: "b",
    to: "a",
    open,
  });

  test("marks the transition back, or else the one of the request, until it is given", () => {
    const both = new Map(
      [arrow("a", "b"), arrow("b", "a")].map((one: { id: string }) => [one.id, one as never]),
    );
    const marked = (arrows: typeof both, ...events: Bare[]) => [
      ...(overlayOf(viewAfter(...events), () => "", arrows).owedReplies?.keys() ?? []),
    ];
    expect(marked(both, owed(true))).toEqual(["b|task|a"]);
    both.delete("b|task|a");
    expect(marked(both, owed(true))).toEqual(["a|task|b"]);
    expect(marked(both, owed(true), owed(false))).toEqual([]);
  });
});

describe("transitions taken together", () => {
  const take = (id: string) => ({ type: "transition.taken", position: "0", transition: id });
  const enter = (state: string, position: string) => ({ type: "state.entered", state, position });

  test("are all last taken, until the next transition", () => {
    const together = [take("a|x|b"), enter("b", "1"), take("a|y|c"), enter("c", "2")];
    expect([...(overlayOf(viewAfter(...together)).lastTaken ?? [])]).toEqual([
      ["a|x|b", 1],
      ["a|y|c", 3],
    ]);
    const later = [...together, { type: "state.left", position: "0", state: "a" }, take("b|z|c")];
    expect([...(overlayOf(viewAfter(...later)).lastTaken ?? [])]).toEqual([["b|z|c", 6]]);
  });
});
