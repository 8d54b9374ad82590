/** The pack's pending proposals, and the one that is reviewed. */

import { createStore, useStore } from "zustand";
import { packs, session, type StoredProposal } from "../../session";
import { panels } from "../panelState";
import { beginReview, pendingParts, type Review } from "./review";

interface Proposals {
  pending: StoredProposal[];
  review: Review | null;
}

const store = createStore<Proposals>(() => ({ pending: [], review: null }));

export const useProposals = <S>(select: (state: Proposals) => S): S => useStore(store, select);

let request = 0;

/** Fetch the proposals that wait for a decision. A review of a proposal that no longer does ends. */
async function refresh(): Promise<void> {
  const { pack } = session.state;
  if (pack === null) return;
  const mine = ++request;
  try {
    const { results } = await packs.proposals(pack);
    if (mine !== request) return;
    const { review } = store.getState();
    const reviewed = results.find((one) => one.id === review?.proposal);
    store.setState({
      pending: results,
      review: review && reviewed ? followed(review, reviewed) : null,
    });
    const linked = linkedProposal();
    const opened = results.find((one) => one.id === linked);
    if (opened) begin(opened);
  } catch (error) {
    session.notifyError(error);
  }
}

/** The proposal that the URL asks to review, once. */
function linkedProposal(): number {
  const url = new URL(location.href);
  const id = Number(url.searchParams.get("review"));
  url.searchParams.delete("review");
  if (id) history.replaceState(history.state, "", url);
  return id;
}

/** The review of a proposal of which some parts were decided. */
function followed(review: Review, proposal: StoredProposal): Review {
  const left = pendingParts(proposal);
  const remaining = left.filter((n) => review.leftOut.has(n));
  return {
    ...review,
    // Parts that are left after a decision are chosen again.
    leftOut: new Set(remaining.length < left.length ? remaining : []),
    current: left.includes(review.current) ? review.current : (left[0] ?? 0),
  };
}

async function accept(review: Review, parts: readonly number[]): Promise<void> {
  const pack = session.state.pack ?? "";
  try {
    const { revision } = await session.replaceOnServer(() =>
      packs.acceptProposal(pack, review.proposal, parts),
    );
    session.notify(`Accepted as r${revision}. One undo reverts all of it.`, "ok");
  } catch (error) {
    session.notifyError(error);
  }
  await refresh();
}

async function reject(review: Review, parts: readonly number[], reason: string): Promise<void> {
  try {
    await packs.rejectProposal(session.state.pack ?? "", review.proposal, parts, reason);
  } catch (error) {
    session.notifyError(error);
  }
  await refresh();
}

/** Withdraw the pending parts of one's own proposal. */
async function withdraw(proposal: StoredProposal): Promise<void> {
  try {
    await packs.withdrawProposal(session.state.pack ?? "", proposal.id);
    session.notify("The proposal was withdrawn.", "ok");
  } catch (error) {
    session.notifyError(error);
  }
  await refresh();
}

/** True for a proposal of the signed-in user. */
export const isOwn = (proposal: StoredProposal): boolean =>
  proposal.author !== "" && proposal.author === document.getElementById("signalbox")?.dataset.user;

function begin(proposal: StoredProposal): void {
  panels.set({ inspector: true });
  store.setState({ review: beginReview(proposal) });
}

/** Review a proposal that waits for a decision. */
async function open(id: number): Promise<void> {
  await refresh();
  const proposal = store.getState().pending.find((one) => one.id === id);
  if (proposal) begin(proposal);
  else session.notify("This proposal has been decided.", "hint");
}

export const proposals = {
  refresh,
  begin,
  open,
  change: (by: (review: Review) => Review): void => {
    const { review } = store.getState();
    if (review) store.setState({ review: by(review) });
  },
  end: (): void => store.setState({ review: null }),
  accept,
  reject,
  withdraw,
};
