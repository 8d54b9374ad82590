import { ArrowUpRight, UserRoundPen, UserRoundX } from "lucide-react";
import { useId, useState } from "react";
import { roles, useSession, type Outcome, type State } from "../../session";
import { ApprovalLimitField } from "../../ui/ApprovalLimitField";
import { Disclosure } from "../../ui/Disclosure";
import { RoleDot } from "../../ui/RoleDot";
import { GateFields } from "./GateFields";
import { KindField } from "./KindField";
import { LongText } from "./LongText";
import { PromptPreview, usePrompt, type PreviewStart } from "./PromptPreview";
import {
  bindDialog,
  limitApprovals,
  updateBinding,
  unbindRole,
  writeNote,
  writeOverride,
  type RoleBinding,
} from "./roleBinding";
import { IconButton } from "../../ui/IconButton";
import { outcomeProblem } from "../form/formContext";
import { Problem } from "../form/Problem";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";
import { siteUrl } from "../../ui/siteUrl";

/**
 * The role bound to the selected state, a preview of the prompt, and a note. All of it is stored
 * outside the pack.
 */
export function RoleSection({ element, readOnly }: { element: string; readOnly: boolean }) {
  const state = useSession((now) =>
    element.startsWith("state:") ? now.fullGraph.states.get(element.slice(6)) : undefined,
  );
  if (!state || state.stateless || (readOnly && !state.bound && !state.note)) return null;
  return <StateRoleSection key={state.id} state={state} readOnly={readOnly} />;
}

function StateRoleSection({ state, readOnly }: { state: State; readOnly: boolean }) {
  const { id, bound, note } = state;
  const [problem, setProblem] = useState("");
  const [previewOpen, setPreviewOpen] = useState(false);
  const [start, setStart] = useState<PreviewStart>({ mode: "", started_by: "ticket" });
  const preview = usePrompt(id, start, !readOnly && (previewOpen || bound !== null));
  const showOutcome = (outcome: Outcome) => setProblem(outcome.ok ? "" : outcome.error.message);
  return (
    <section className="role-section" aria-label="Role">
      <h3>Role</h3>
      {bound ? (
        <BoundRole
          state={id}
          bound={bound}
          readOnly={readOnly}
          unbound={() => void unbindRole(id).then(showOutcome)}
        />
      ) : (
        <>
          <Button kind="small" onClick={() => bindDialog.setState({ states: [id] })}>
            <UserRoundPen className="icon" aria-hidden /> Bind to a role…
          </Button>
          <p className="help">No role: the model gets the state&rsquo;s own prompt.</p>
        </>
      )}
      <Problem text={problem} />
      {bound && !readOnly && (
        <BindingFields
          id={id}
          bound={bound}
          gates={preview.prompt?.gates ?? []}
          change={(next) => void updateBinding(id, next).then(showOutcome)}
        />
      )}
      {!readOnly && (
        <Disclosure
          title="Preview what is sent"
          open={previewOpen}
          onToggle={setPreviewOpen}
          className="folded"
        >
          <PromptPreview seen={preview} start={start} choose={setStart} withRole={bound !== null} />
        </Disclosure>
      )}
      {readOnly ? (
        note && <p className="note-text">{note}</p>
      ) : (
        <LongText
          label="Note"
          help="For people: a mark on the card shows it. The model never sees it."
          place={`state:${id} note`}
          value={note}
          commit={async (text) => outcomeProblem(await writeNote(id, text))}
        />
      )}
      {!readOnly && (
        <ApprovalLimitField
          value={state.approval_limit}
          otherwise="As for the pack"
          change={(limit) => void limitApprovals(id, limit).then(showOutcome)}
        />
      )}
    </section>
  );
}

interface BoundRoleProps {
  state: string;
  bound: RoleBinding;
  readOnly: boolean;
  unbound: () => void;
}

function BoundRole({ state, bound, readOnly, unbound }: BoundRoleProps) {
  return (
    <div className="bound-role" data-bound={bound.role}>
      <RoleDot color={bound.color} />
      <b className="truncate">{bound.name}</b>
      {bound.gate && <span className="badge">gate</span>}
      <span className="spacer" />
      <a
        className="button quiet small icon-only"
        href={siteUrl(`/roles/${bound.role}/`)}
        title={`Open the role ${bound.name}`}
        aria-label={`Open the role ${bound.name}`}
      >
        <ArrowUpRight className="icon" aria-hidden />
      </a>
      {!readOnly && (
        <>
          <IconButton
            label="Choose another role"
            Icon={UserRoundPen}
            onClick={() => bindDialog.setState({ states: [state] })}
          />
          <IconButton
            label="Unbind: leave the state to its own prompt"
            Icon={UserRoundX}
            onClick={unbound}
          />
        </>
      )}
    </div>
  );
}

interface BindingFieldsProps {
  id: string;
  bound: RoleBinding;
  gates: readonly string[];
  change: (bound: RoleBinding) => void;
}

/** The settings of a binding: gate, mode and override. */
function BindingFields({ id, bound, gates, change }: BindingFieldsProps) {
  const [open, setOpen] = useState(
    bound.override !== "" || bound.mode !== null || bound.kind !== undefined,
  );
  return (
    <>
      <GateFields state={id} bound={bound} gates={gates} change={change} />
      <Disclosure title="Kind, mode and override" open={open} onToggle={setOpen} className="folded">
        <KindField bound={bound} change={change} />
        <ModeField bound={bound} change={change} />
        <LongText
          label="Override"
          help="Added at the end of every prompt of this state, after its task."
          place={`state:${id} override`}
          value={bound.override}
          commit={async (override) => outcomeProblem(await writeOverride(id, override))}
        />
      </Disclosure>
    </>
  );
}

function ModeField({
  bound,
  change,
}: {
  bound: RoleBinding;
  change: (bound: RoleBinding) => void;
}) {
  const field = useId();
  // Without the modes, the current one can still be removed.
  const modes = useRequest([], () => roles.modes()).value ?? [];
  const isListed = bound.mode === null || modes.some((mode) => mode.id === bound.mode);
  return (
    <div className="field">
      <label htmlFor={field}>Mode of the role</label>
      <select
        id={field}
        value={bound.mode ?? ""}
        onChange={(event) =>
          change({ ...bound, mode: event.target.value ? Number(event.target.value) : null })
        }
      >
        <option value="">None</option>
        {!isListed && <option value={bound.mode ?? ""}>mode {bound.mode}</option>}
        {modes.map((mode) => (
          <option key={mode.id} value={mode.id}>
            {mode.name}
          </option>
        ))}
      </select>
      <div className="help">
        Adds its rules to the role&rsquo;s prompts, for its number of turns.
      </div>
    </div>
  );
}
