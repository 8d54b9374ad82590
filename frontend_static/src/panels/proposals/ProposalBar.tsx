import "./proposals.css";
import { useEffect } from "react";
import { useSession, type StoredProposal } from "../../session";
import { Button } from "../../ui/Button";
import { usePanels } from "../panelState";
import { count, pendingParts } from "./review";
import { isOwn, proposals, useProposals } from "./reviewStore";

/** Pending proposals above the canvas, while none of them is reviewed. */
export function ProposalBar() {
  const changes = useSession((state) => (state.readOnly ? 0 : state.proposals));
  const pending = useProposals((state) => state.pending);
  const reviewing = useReviewed() !== undefined;
  useEffect(() => {
    if (changes) void proposals.refresh();
  }, [changes]);
  if (!changes || pending.length === 0 || reviewing) return null;
  return (
    <aside className="proposals" aria-label="Proposals" aria-live="polite" data-proposals>
      {pending.map((one) => (
        <span key={one.id} className="row tight">
          <Title proposal={one} />
          <Button kind="small" onClick={() => proposals.begin(one)}>
            Review
          </Button>
          <WithdrawButton proposal={one} />
        </span>
      ))}
    </aside>
  );
}

/** The proposal that is reviewed in the inspector; none while the inspector is hidden. */
export function useReviewed(): StoredProposal | undefined {
  const open = usePanels((state) => state.inspector);
  return useProposals(({ pending, review }) =>
    open ? pending.find((one) => one.id === review?.proposal) : undefined,
  );
}

export function Title({ proposal }: { proposal: StoredProposal }) {
  return (
    <span className="proposal-title">
      <b>
        {proposal.author || "Someone"} proposes {count(pendingParts(proposal).length, "change")}
      </b>
      {proposal.note && <span className="muted"> {proposal.note}</span>}
    </span>
  );
}

/** For the author of a proposal, who may have no right to decide about it. */
export function WithdrawButton({ proposal }: { proposal: StoredProposal }) {
  if (!isOwn(proposal)) return null;
  return (
    <Button kind="quiet small" onClick={() => void proposals.withdraw(proposal)}>
      Withdraw
    </Button>
  );
}
