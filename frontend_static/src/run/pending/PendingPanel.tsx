import { useEffect } from "react";
import { runs, useFetched, type Pending } from "../../session";
import type { RunView } from "../model/fold";
import { Question } from "./Question";
import { useOpenApprovals } from "./useOpenApprovals";
import { isStored, runStore, useRunStore } from "../model/runStore";

/** Open questions of the run: approvals, events and, with the manual driver, the model's turn. */
export function PendingPanel() {
  const elsewhere = useRunStore((state) => state.questionsShownAt);
  const questions = usePending().filter((one) => !elsewhere || one.state !== elsewhere);
  const { approvals, pass } = useOpenApprovals(questions.map((one) => one.key).join(" "));
  if (questions.length === 0) return null;
  return (
    <section className="pending" aria-label="Waiting for you">
      {questions.map((one) => (
        <Question key={one.key} pending={one} approval={approvals.get(one.key)} pass={pass} />
      ))}
    </section>
  );
}

/** The open questions of one state, which are then not listed in the panel. */
export function PendingForState({ state }: { state: string }) {
  useEffect(() => {
    runStore.store.setState({ questionsShownAt: state });
    return () => runStore.store.setState({ questionsShownAt: "" });
  }, [state]);
  const mine = usePending().filter((one) => one.state === state);
  const { approvals, pass } = useOpenApprovals(mine.map((one) => one.key).join(" "));
  if (mine.length === 0) return null;
  return (
    <section className="pending at-state" aria-label={`${state} waits for you`}>
      {mine.map((one) => (
        <Question key={one.key} pending={one} approval={approvals.get(one.key)} pass={pass} here />
      ))}
    </section>
  );
}

function usePending(): Pending[] {
  const id = useRunStore((state) => state.id);
  const open = useRunStore((state) => openKeys(state.head));
  const status = useRunStore((state) => state.status);
  const asks = isStored(id) && open !== "";
  const pending = useFetched(asks ? [id, open, status] : null, () => runs.pending(id!));
  return (pending ?? []).filter((one) => open.split(" ").includes(one.key));
}

/** Keys of the requests that wait for a person or an event. */
function openKeys(view: RunView): string {
  const open = Object.values(view.waiting).filter(
    (one) => one.for === "person" || one.for === "event",
  );
  return open.map((one) => one.key).join(" ");
}
