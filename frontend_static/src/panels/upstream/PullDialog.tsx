import "./upstream.css";
import { useState } from "react";
import {
  errorMessage,
  packs,
  session,
  useSession,
  type ErrorMessage,
  type PullPlan,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { FileDiff } from "../../ui/FileDiff";
import { RelativeTime } from "../../ui/RelativeTime";
import { FindingChanges } from "./FindingChanges";
import { upstreams, useUpstream } from "./upstreamStore";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";
import { Mono } from "../../ui/Mono";

/** Shows the newer commits of the branch and their differences, then pulls them. */
export function PullDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const upstream = useUpstream((state) => state.upstream);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const [tries, setTries] = useState(0);
  const { value: plan } = useRequest(
    [pack, tries],
    async () => {
      await session.whenSaved();
      return packs.pullPlan(pack);
    },
    { failed: (error) => setProblem((before) => before ?? errorMessage(error)) },
  );

  const conflicts = plan?.conflicts.length ?? 0;
  const upToDate = plan !== null && plan.base === plan.tip;
  const go = async (shown: PullPlan) => {
    if (conflicts > 0) {
      upstreams.decidePull(shown);
      close();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await upstreams.pull(shown, {});
      close();
    } catch (error) {
      setProblem(errorMessage(error));
      setTries(tries + 1);
      setBusy(false);
    }
  };
  return (
    <Dialog
      wide
      title={upstream ? `Pull from ${upstream.repository.name}` : "Pull"}
      onClose={close}
      onSubmit={() => plan && !busy && !upToDate && void go(plan)}
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button type="submit" kind="primary" disabled={plan === null || busy || upToDate}>
            {conflicts > 0 ? "Resolve conflicts" : busy ? "Pulling…" : "Pull"}
          </Button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      {!plan && !problem && <p role="status">Comparing with the branch…</p>}
      {plan && <PlanView plan={plan} branch={upstream?.branch ?? ""} upToDate={upToDate} />}
    </Dialog>
  );
}

function PlanView(props: { plan: PullPlan; branch: string; upToDate: boolean }) {
  const { plan, branch, upToDate } = props;
  if (upToDate)
    return (
      <p role="status">
        The branch {branch} has no newer commits than{" "}
        <code translate="no">{plan.base.slice(0, 12)}</code>.
      </p>
    );
  return (
    <div data-pull-plan={plan.tip}>
      <h3>Commits on {branch}</h3>
      {plan.commits.length === 0 && <p className="help">None of them changes this pack.</p>}
      <ul className="plain pulled-commits" aria-label="Commits">
        {plan.commits.map((commit) => (
          <li key={commit.commit}>
            <Mono>{commit.commit.slice(0, 12)}</Mono> {commit.subject}{" "}
            <span className="muted">
              {commit.author}, <RelativeTime at={commit.date} />
            </span>
          </li>
        ))}
      </ul>
      {plan.conflicts.length > 0 ? (
        <p className="notice warning" role="status">
          {plan.conflicts.length === 1
            ? "One place was changed on both sides."
            : `${plan.conflicts.length} places were changed on both sides.`}{" "}
          Decide by state which version is kept.
        </p>
      ) : (
        <>
          {plan.files.map((file) => (
            <FileDiff key={file.path} path={`${file.path} (${file.change})`} diff={file.diff} />
          ))}
          <FindingChanges added={plan.findings_new} fixed={plan.findings_fixed} />
        </>
      )}
    </div>
  );
}
