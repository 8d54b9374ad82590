import "./upstream.css";
import { useEffect, useEffectEvent, useState } from "react";
import {
  errorMessage,
  packs,
  session,
  useSession,
  type ErrorMessage,
  type PackPlan,
  type Proposed,
  type ProposePlan,
} from "../../session";
import { Dialog } from "../../ui/Dialog";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { GitPlanView } from "../dialogs/GitPlanView";
import { panels } from "../panelState";
import { GitCommands } from "./GitCommands";
import { OtherPacks } from "./OtherPacks";
import { ProposedPackView } from "./ProposedPackView";
import { ProposedDialog } from "./ProposedDialog";
import { upstreams, useUpstream } from "./upstreamStore";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";
import { FieldLabel } from "../../ui/FieldLabel";

/** Milliseconds after the last key until the preview is made. */
const PAUSE = 400;

interface Fields {
  branch: string;
  title: string;
  message: string;
  description: string;
  author: string;
}

const EMPTY: Fields = { branch: "", title: "", message: "", description: "", author: "" };

/** Proposes the pack's changes: a preview, then a commit on a branch and a pull request. */
export function ProposeDialog({ close }: { close: () => void }) {
  const pack = useSession((state) => state.pack) ?? "";
  const upstream = useUpstream((state) => state.upstream);
  const [fields, setFields, drop, showFields] = useKept<Fields>(
    `propose ${pack}`,
    "Proposal",
    () => EMPTY,
  );
  const fill = useEffectEvent(showFields);
  const [plan, setPlan] = useState<ProposePlan | null>(null);
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState<"" | "check" | "propose">("");
  const [progress, setProgress] = useState("");
  const [done, setDone] = useState<Proposed | null>(null);
  const [others, setOthers] = useState<readonly number[]>([]);
  const { branch } = fields;
  const shown = plan !== null && plan.branch === branch && hasPacks(plan, others) ? plan : null;
  const isShown = shown !== null;
  const set = (field: keyof Fields) => (event: { target: { value: string } }) =>
    setFields((now) => ({ ...now, [field]: event.target.value }));

  useEffect(() => {
    if (isShown) return;
    let stale = false;
    const preview = async () => {
      setProblem(null);
      try {
        await session.whenSaved();
        const made = await packs.proposePlan(pack, { branch, others: [...others] });
        if (stale) return;
        setPlan(made);
        fill((now) => ({
          ...now,
          branch: made.branch,
          title: isTyped(now.title, plan?.title) ? now.title : made.title,
          message: isTyped(now.message, plan?.message) ? now.message : made.message,
        }));
      } catch (error) {
        if (!stale) setProblem(errorMessage(error));
      }
    };
    const timer = setTimeout(() => void preview(), branch ? PAUSE : 0);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [pack, branch, others, isShown, plan?.title, plan?.message]);

  const check = async () => {
    setBusy("check");
    setProblem(null);
    try {
      setPlan(await packs.proposePlan(pack, { branch, others: [...others], check: true }));
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy("");
  };
  const propose = async ({ commit }: ProposePlan) => {
    setBusy("propose");
    setProblem(null);
    try {
      await session.whenSaved();
      const body = { ...fields, others: [...others], tree: commit.tree };
      setDone(await packs.propose(pack, body, setProgress));
      drop();
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy("");
    setProgress("");
    await upstreams.refresh();
  };

  if (done) return <ProposedDialog done={done} close={close} />;
  const change = upstream?.change?.branch === branch ? upstream.change : null;
  const ready =
    shown !== null &&
    !shown.needs_pull &&
    shown.commit.conflicts.length === 0 &&
    !shown.commit.unchanged;
  return (
    <Dialog
      wide
      title={upstream ? `Propose to ${upstream.repository.name}` : "Propose"}
      onClose={close}
      onSubmit={() => ready && !busy && void propose(shown)}
      footer={
        <>
          <Button kind="start" disabled={!ready || busy !== ""} onClick={() => void check()}>
            {busy === "check" ? "Checking…" : "Check coverage and recorded runs"}
          </Button>
          <Button onClick={close}>Cancel</Button>
          <Button
            type="submit"
            kind="primary"
            disabled={!ready || busy !== "" || !fields.message.trim()}
          >
            {busy === "propose" ? "Proposing…" : "Propose"}
          </Button>
        </>
      }
    >
      {problem && <ErrorNotice {...problem} />}
      {busy === "propose" && (
        <p role="status" className="help" data-progress>
          The proposal is running. You can close this dialog; it continues. {progress}
        </p>
      )}
      {plan?.needs_pull && <PullFirst plan={plan} />}
      {change && (
        <p className="help" data-continues={change.branch}>
          The commit continues the open change “{change.title}”
          {change.number !== null && ` in pull request #${change.number}`}.
        </p>
      )}
      <div className="columns">
        <FieldLabel label="Branch">
          <input className="mono" value={branch} onChange={set("branch")} required />
        </FieldLabel>
        {!change && (
          <FieldLabel label="Title">
            <input value={fields.title} onChange={set("title")} maxLength={300} required />
          </FieldLabel>
        )}
        <FieldLabel label="Author">
          <input
            value={fields.author}
            onChange={set("author")}
            placeholder="you, or Name <address>"
          />
        </FieldLabel>
      </div>
      <FieldLabel label="Message of the commit">
        <textarea rows={2} value={fields.message} onChange={set("message")} required />
      </FieldLabel>
      {!change && (
        <FieldLabel label="Description of the pull request">
          <textarea rows={2} value={fields.description} onChange={set("description")} />
        </FieldLabel>
      )}
      {plan && <OtherPacks plan={plan} chosen={others} choose={setOthers} />}
      {!plan && !problem && <p role="status">Comparing with the branch…</p>}
      {plan && (isShown || !problem) && (
        <>
          <GitPlanView plan={plan.commit} branch={plan.branch} />
          {plan.packs.map((one) => (
            <ProposedPackView key={one.pack} plan={one} titled={plan.packs.length > 1} />
          ))}
          <GitCommands commands={plan.commands} />
        </>
      )}
    </Dialog>
  );
}

/** The packs of a proposal that the branch has newer changes of. */
function PullFirst({ plan }: { plan: ProposePlan }) {
  const [first, ...others] = plan.packs;
  const names = others.filter(isBehind).map((one) => one.name);
  return (
    <div className="notice warning" role="alert">
      {first && isBehind(first) ? (
        <>
          <span>The branch {plan.target} has newer changes of this pack. Pull them first.</span>{" "}
          <Button kind="small" onClick={() => panels.open("pull")}>
            Pull…
          </Button>
        </>
      ) : (
        <span>
          The branch {plan.target} has newer changes of {names.join(", ")}. Open these packs and
          pull them first.
        </span>
      )}
    </div>
  );
}

const isBehind = ({ status }: PackPlan): boolean => status === "changed" || status === "both";

/** True if the preview is that of these other packs. */
const hasPacks = ({ packs }: ProposePlan, others: readonly number[]): boolean =>
  packs.length === others.length + 1 &&
  packs.slice(1).every((one, index) => one.pack === others[index]);

/** True if the user typed a text, and did not keep the proposed one. */
const isTyped = (text: string, proposed = ""): boolean => text !== "" && text !== proposed;
