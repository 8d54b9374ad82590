import { Check, ChevronLeft, ChevronRight, X } from "lucide-react";
import { Fragment, useEffect, useState } from "react";
import {
  isFixed,
  packs,
  registerCommands,
  session,
  useSession,
  type Command,
  type Consequences,
  type ReviewedProposal,
  type StoredProposal,
} from "../../session";
import { Button } from "../../ui/Button";
import { IconButton } from "../../ui/IconButton";
import { useKept } from "../../ui/useKept";
import { useRequest } from "../../ui/useRequest";
import { hideWalk } from "../drawer/WalkButton";
import { CaseChanges } from "../upstream/CaseChanges";
import { FindingChanges } from "../upstream/FindingChanges";
import { Title, useReviewed, WithdrawButton } from "./ProposalBar";
import {
  choose,
  count,
  elementsOf,
  mark,
  numbers,
  pendingParts,
  step,
  type Review,
} from "./review";
import { proposals, useProposals } from "./reviewStore";
import { siteUrl } from "../../ui/siteUrl";

/** Milliseconds without another choice until recorded runs are replayed. */
const PAUSE = 200;

/** The review of a proposal, at the top of the inspector: the canvas keeps its place. */
export function ProposalReview() {
  const review = useProposals((state) => state.review);
  const reviewed = useReviewed();
  if (!review || !reviewed) return null;
  return <ReviewPane key={review.proposal} {...{ review, reviewed }} />;
}

function ReviewPane({ review, reviewed }: { review: Review; reviewed: StoredProposal }) {
  const pending = pendingParts(reviewed);
  const chosen = pending.filter((n) => !review.leftOut.has(n));
  const left = pending.filter((n) => review.leftOut.has(n));
  const fixed = useSession(isFixed);
  const { answer, busy } = useConsequences(review.proposal, chosen);
  const [rejecting, setRejecting] = useState(false);
  const accept = () => {
    if (!fixed && chosen.length > 0) void proposals.accept(review, chosen);
  };
  useCurrentPart(reviewed, review.current, answer !== null);
  useEffect(() => registerCommands(commands(pending, accept, () => setRejecting(true))));
  const rejected = left.length > 0 ? left : pending;
  return (
    <section
      className="proposal-review"
      aria-label={`Proposal of ${reviewed.author || "someone"}`}
      data-proposal={review.proposal}
      data-busy={busy}
    >
      <Title proposal={reviewed} />
      <div className="row tight" role="toolbar" aria-label="Choice">
        <IconButton
          label="Previous change (Shift+J)"
          Icon={ChevronLeft}
          onClick={() => proposals.change((now) => step(now, pending, -1))}
        />
        <span className="small" aria-live="polite">
          {pending.indexOf(review.current) + 1} of {pending.length}
        </span>
        <IconButton
          label="Next change (J)"
          Icon={ChevronRight}
          onClick={() => proposals.change((now) => step(now, pending, 1))}
        />
        <Button
          kind="small"
          title="Choose this change (Y)"
          onClick={() => proposals.change((now) => mark(now, pending, true))}
        >
          <Check className="icon" aria-hidden /> Take
        </Button>
        <Button
          kind="small"
          title="Leave this change out (N)"
          onClick={() => proposals.change((now) => mark(now, pending, false))}
        >
          <X className="icon" aria-hidden /> Leave out
        </Button>
      </div>
      <ol aria-label="Proposed changes">
        {reviewed.parts.map((part, n) =>
          part.status === "pending" ? (
            <Part key={n} n={n} review={review} part={answer?.parts[n] ?? part} />
          ) : (
            <DecidedPart key={n} part={part} />
          ),
        )}
      </ol>
      <div className="row tight" role="toolbar" aria-label="Decision">
        <Button
          kind="primary small"
          title="One revision and one undo (Shift+Y)"
          disabled={fixed || chosen.length === 0}
          onClick={accept}
        >
          Accept {left.length > 0 ? `${chosen.length} of ${pending.length}` : "all"}
        </Button>
        <Button kind="small" title="Shift+N" disabled={fixed} onClick={() => setRejecting(true)}>
          Reject {left.length > 0 ? left.length : "all"}…
        </Button>
        <WithdrawButton proposal={reviewed} />
        <Button kind="quiet small" onClick={proposals.end}>
          Close
        </Button>
      </div>
      {rejecting && (
        <Rejection
          proposal={review.proposal}
          count={rejected.length}
          send={(reason) => void proposals.reject(review, rejected, reason)}
          end={() => setRejecting(false)}
        />
      )}
      {answer?.consequences && chosen.length > 0 && <Causes found={answer.consequences} />}
    </section>
  );
}

/** A part with its choice. A click on its text shows it on the canvas. */
function Part(props: { n: number; review: Review; part: StoredProposal["parts"][number] }) {
  const { n, review, part } = props;
  return (
    <li aria-current={n === review.current} data-part={n}>
      <input
        type="checkbox"
        aria-label={part.summary}
        checked={!review.leftOut.has(n)}
        onChange={(event) => proposals.change((now) => choose(now, n, event.target.checked))}
      />
      <button
        type="button"
        className="button link small"
        onClick={() => proposals.change((now) => ({ ...now, current: n }))}
      >
        {part.summary}
      </button>
      {part.stale && (
        <span className="level-warning" data-stale>
          No longer applies: {part.stale}
        </span>
      )}
    </li>
  );
}

function DecidedPart({ part }: { part: StoredProposal["parts"][number] }) {
  const revision = part.revision === null ? "" : ` in r${part.revision}`;
  return (
    <li className="muted" data-decided={part.status}>
      <span>
        {part.summary}: {part.status} by {part.by}
        {revision}
        {part.reason && `, because “${part.reason}”`}
      </span>
    </li>
  );
}

/** The consequences of the chosen parts. None of them blocks a decision. */
function Causes({ found }: { found: Consequences }) {
  const runs = found.diverging_runs;
  return (
    <div className="proposal-causes" role="region" aria-label="Consequences">
      <p aria-live="polite">
        {numbers(found).map(({ name, before, after }) => (
          <span key={name} data-number={name}>
            {name}: {before} → <b>{after}</b>
          </span>
        ))}
        {runs && (
          <span data-number="Recorded runs">
            {runs.length} of {count(found.runs, "recorded run")} diverge
            {runs.length === 1 && "s"}
            {runs.slice(0, 3).map((one) => (
              <Fragment key={one.run}>
                {" "}
                <RunLink {...one} />
              </Fragment>
            ))}
          </span>
        )}
      </p>
      {found.removed_taken.map((one) => (
        <p key={one.transition} className="level-error" data-removed-taken={one.transition}>
          <span>
            Removes {withDots(one.transition)}, which a run took: <RunLink {...one} />
          </span>
        </p>
      ))}
      {found.coverage && found.coverage.lost.length > 0 && (
        <p>No rehearsal takes any more: {found.coverage.lost.map(withDots).join(", ")}</p>
      )}
      <CaseChanges cases={found.cases} />
      <FindingChanges added={found.findings_new} fixed={found.findings_fixed} walks />
    </div>
  );
}

const withDots = (transition: string): string => transition.split("|").join(" · ");

export const RunLink = ({ run, n }: { run: string; n: number }) => (
  <a href={siteUrl(`/runs/${run}/?at=${n}`)} data-run-link={run}>
    run {run.slice(0, 8)}
  </a>
);

function Rejection(props: {
  proposal: number;
  count: number;
  send: (reason: string) => void;
  end: () => void;
}) {
  const [reason, setReason, drop] = useKept(`rejection-${props.proposal}`, "Reason", () => "");
  return (
    <form
      className="row tight"
      aria-label="Rejection"
      onSubmit={(event) => {
        event.preventDefault();
        drop();
        props.send(reason);
        props.end();
      }}
    >
      <input
        className="input grow"
        aria-label="Reason of the rejection"
        placeholder="Reason"
        autoFocus
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <button className="button small danger">Reject {count(props.count, "change")}</button>
      <Button kind="quiet small" onClick={props.end}>
        Cancel
      </Button>
    </form>
  );
}

/**
 * The consequences of the chosen parts, drawn as ghosts: at first without recorded runs and coverage,
 * which take seconds. Each choice and each revision requests them again.
 */
function useConsequences(id: number, chosen: readonly number[]) {
  const pack = useSession((state) => state.pack) ?? "";
  const revision = useSession((state) => state.revision);
  const changes = useSession((state) => state.proposals);
  const key = chosen.length > 0 ? [pack, id, chosen, revision, changes] : null;
  const failed = session.notifyError;
  const quick = useRequest(key, () => packs.proposal(pack, id, chosen, true), { failed });
  const full = useRequest(key, () => packs.proposal(pack, id, chosen, false), { pause: PAUSE });
  const answer = (full.stale ? null : full.value) ?? quick.value;
  useDrawn(chosen.length > 0 ? answer : null, revision);
  return { answer, busy: full.stale && key !== null };
}

function useDrawn(answer: ReviewedProposal | null, revision: number): void {
  useEffect(() => {
    if (answer?.head === revision) session.compareProposal(answer);
    else if (!answer) session.endComparison();
  }, [answer, revision]);
  useEffect(
    () => () => {
      hideWalk();
      session.endComparison();
    },
    [],
  );
}

/** Show the current part on the canvas, once it is drawn. */
function useCurrentPart(proposal: StoredProposal, current: number, drawn: boolean): void {
  useEffect(() => {
    if (!drawn) return;
    const { states, transitions } = session.state.fullGraph;
    const element = proposal.parts[current]?.edits.flatMap(elementsOf).find((one) => {
      const id = one.slice(one.indexOf(":") + 1);
      if (one.startsWith("state:")) return states.has(id);
      return one.startsWith("transition:") && transitions.has(id);
    });
    if (element) session.focus(element, { gentle: true });
  }, [proposal.id, current, drawn]); // eslint-disable-line react-hooks/exhaustive-deps
}

function commands(pending: readonly number[], accept: () => void, reject: () => void): Command[] {
  const change = (by: (review: Review) => Review) => () => proposals.change(by);
  const row = (name: string, title: string, key: string, run: () => void): Command => ({
    name: `proposal.${name}`,
    title,
    group: "Edit",
    keys: [key],
    run,
  });
  return [
    row(
      "next",
      "Next proposed change",
      "J",
      change((now) => step(now, pending, 1)),
    ),
    row(
      "previous",
      "Previous proposed change",
      "Shift+J",
      change((now) => step(now, pending, -1)),
    ),
    row(
      "take",
      "Choose the proposed change",
      "Y",
      change((now) => mark(now, pending, true)),
    ),
    row(
      "leave",
      "Leave the proposed change out",
      "N",
      change((now) => mark(now, pending, false)),
    ),
    row("accept", "Accept the chosen changes", "Shift+Y", accept),
    row("reject", "Reject the changes left out", "Shift+N", reject),
  ];
}
