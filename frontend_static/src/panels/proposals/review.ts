/** The review of a proposal: its chosen parts, the current one, and the numbers of consequences. */

import type { Consequences, Edit, StoredProposal } from "../../session";

/** `leftOut`: numbers of parts that are not chosen. `current`: the number of the shown part. */
export interface Review {
  proposal: number;
  leftOut: ReadonlySet<number>;
  current: number;
}

/** The numbers of the parts that wait for a decision. */
export const pendingParts = ({ parts }: StoredProposal): number[] =>
  parts.flatMap((part, n) => (part.status === "pending" ? [n] : []));

export const beginReview = (proposal: StoredProposal): Review => ({
  proposal: proposal.id,
  leftOut: new Set(),
  current: pendingParts(proposal)[0] ?? 0,
});

/** The review with the next or previous part. It stays at both ends. */
export function step(review: Review, pending: readonly number[], by: 1 | -1): Review {
  const at = pending.indexOf(review.current);
  const next = at < 0 ? pending[0] : pending[at + by];
  return next === undefined ? review : { ...review, current: next };
}

/** Choose the current part or leave it out, and go to the next. */
export function mark(review: Review, pending: readonly number[], take: boolean): Review {
  return step(choose(review, review.current, take), pending, 1);
}

export function choose(review: Review, part: number, take: boolean): Review {
  const leftOut = new Set(review.leftOut);
  if (take) leftOut.delete(part);
  else leftOut.add(part);
  return { ...review, leftOut };
}

/** The elements that an edit is about, most specific first. They may not exist. */
export function elementsOf(edit: Edit): string[] {
  switch (edit.type) {
    case "connect":
      return [`transition:${edit.source}|${edit.label}|${edit.target}`, `state:${edit.source}`];
    case "disconnect":
      return [`transition:${edit.transition}`];
    case "relabel":
    case "retarget": {
      const [source = "", ...rest] = edit.transition.split("|");
      const target = rest.pop() ?? "";
      const moved =
        edit.type === "relabel"
          ? [source, edit.label, target]
          : [edit.source || source, rest.join("|"), edit.target || target];
      return [`transition:${moved.join("|")}`, `transition:${edit.transition}`];
    }
    case "rename_state":
    case "duplicate_state":
      return [`state:${edit.new_id}`, `state:${edit.id}`];
    default:
      if ("element" in edit) return [edit.element];
      return "id" in edit ? [`state:${edit.id}`] : [];
  }
}

/** A number before and after a proposal. */
export interface NumberChange {
  name: string;
  before: string;
  after: string;
}

/** The worst case and the coverage, before and after. The coverage only once it is known. */
export function numbers({ worst_case: worst, coverage }: Consequences): NumberChange[] {
  const isCalls = [worst.before, worst.after].some((one) => one !== null && one.calls !== 0);
  const most = (one: typeof worst.before) => {
    if (!one) return "?";
    return (isCalls ? one.calls : one.visits)?.toLocaleString("en") ?? "∞";
  };
  const taken = (one: { taken: number; of: number; problem: string }) =>
    one.of ? `${one.taken}/${one.of}` : "none";
  return [
    {
      name: isCalls ? "Model calls at most" : "Visits at most",
      before: most(worst.before),
      after: most(worst.after),
    },
    ...(coverage
      ? [
          {
            name: "Transitions in rehearsals",
            before: taken(coverage.before),
            after: taken(coverage.after),
          },
        ]
      : []),
  ];
}

export const count = (n: number, one: string): string => `${n} ${one}${n === 1 ? "" : "s"}`;
