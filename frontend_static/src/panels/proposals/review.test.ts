import { expect, test } from "vitest";
import {
  emptyState,
  type Consequences,
  type Edit,
  type GraphMaps,
  type ReviewedProposal,
  type StoredProposal,
} from "../../session";
import { proposedComparison } from "../../session/comparison";
import { EMPTY_GRAPH } from "../../session/state";
import { beginReview, elementsOf, mark, numbers, pendingParts, step } from "./review";

const part = (status: "pending" | "accepted"): StoredProposal["parts"][number] => ({
  edits: [],
  summary: "",
  status,
  by: "",
  reason: "",
  revision: null,
  stale: "",
});

const PROPOSAL: StoredProposal = {
  id: 4,
  author: "ada",
  note: "",
  base: 1,
  status: "pending",
  created_at: "2026-01-01T00:00:00Z",
  parts: [part("accepted"), part("pending"), part("pending"), part("pending")],
};

test("parts are taken or left out one after the other", () => {
  const pending = pendingParts(PROPOSAL);
  const first = beginReview(PROPOSAL);
  expect([pending, first.current]).toEqual([[1, 2, 3], 1]);
  const second = mark(mark(first, pending, true), pending, false);
  expect([...second.leftOut, second.current]).toEqual([2, 3]);
  expect(step(second, pending, 1).current).toBe(3);
  const back = mark(step(second, pending, -1), pending, true);
  expect([back.leftOut.size, back.current]).toEqual([0, 3]);
  expect(step({ ...first, current: 0 }, pending, -1).current).toBe(1);
});

test.each([
  [{ type: "connect", source: "a", label: "Go", target: "b" }, "transition:a|Go|b"],
  [{ type: "relabel", transition: "a|x|y|b", label: "Go" }, "transition:a|Go|b"],
  [{ type: "retarget", transition: "a|x|y|b", target: "c" }, "transition:a|x|y|c"],
  [{ type: "rename_state", id: "a", new_id: "b" }, "state:b"],
  [{ type: "set_field", element: "prompt:a", field: "/x", value: 1 }, "prompt:a"],
  [{ type: "remove_state", id: "a" }, "state:a"],
] as [Edit, string][])("the element of %j", (edit, element) => {
  expect(elementsOf(edit)[0]).toBe(element);
});

const FOUND: Consequences = {
  base: 1,
  readable: true,
  parts: [],
  difference: {
    states: { added: ["audit"], removed: ["old"], changed: [], renamed: [] },
    transitions: { added: [], removed: ["a|Go|old"], changed: [], renamed: [] },
    elements: [{ element: "state:a", fields: [{ pointer: "/x", was: 1, now: 2 }] }],
  },
  files: [],
  findings_new: [],
  findings_fixed: [],
  worst_case: {
    before: { visits: 3, calls: 1200, tokens: null },
    after: { visits: null, calls: null, tokens: null },
  },
  coverage: null,
  diverging_runs: null,
  runs: 0,
  cases: [],
  removed_taken: [{ transition: "a|Go|old", run: "r1", n: 7 }],
};

test("numbers are shown before and after", () => {
  expect(numbers(FOUND)).toEqual([{ name: "Model calls at most", before: "1,200", after: "∞" }]);
  const taken = { taken: 2, of: 3, problem: "" };
  const none = { taken: 0, of: 0, problem: "No run." };
  const coverage = { before: taken, after: none, lost: [] };
  expect(numbers({ ...FOUND, coverage })[1]).toMatchObject({ before: "2/3", after: "none" });
});

test("a proposal is drawn over the graph: what it adds, and what it would remove", () => {
  const arrow = { id: "a|Go|old", source: "a", label: "Go", target: "old" };
  const before: GraphMaps = {
    ...EMPTY_GRAPH,
    states: new Map(["a", "old"].map((id) => [id, emptyState(id, "state")])),
    transitions: new Map([[arrow.id, arrow as never]]),
  };
  const review: ReviewedProposal = {
    ...PROPOSAL,
    head: 1,
    consequences: FOUND,
    graph: {
      states: { set: [emptyState("audit", "state")], gone: ["old"] },
      transitions: { set: [], gone: [arrow.id] },
      prompt_users: {},
      entries: [],
      groups: [],
      name: "",
    },
  };
  const shown = proposedComparison(before, review);
  expect([...(shown?.graph.states.keys() ?? [])]).toEqual(["a", "audit", "old"]);
  expect([...(shown?.marks ?? [])]).toEqual([
    ["state:audit", "added"],
    ["state:old", "removed"],
    ["transition:a|Go|old", "removed"],
  ]);
  expect(shown?.proposed?.takenBy.get("transition:a|Go|old")).toEqual({ run: "r1", n: 7 });
  expect(shown?.proposed?.fields.get("state:a")?.[0]).toMatchObject({ was: 1, now: 2 });
  expect(proposedComparison(before, { ...review, consequences: null, graph: null })).toBeNull();
});
