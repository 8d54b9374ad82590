import { Copy, History, RotateCcw, Save } from "lucide-react";
import { useEffect, useState } from "react";
import { previewContext, variablesWithValue, type EnteredValues } from "./sampleValues";
import { RoleDialogs } from "./RoleDialogs";
import { AboutFields, MemoryFields } from "./RoleFields";
import { usePreview } from "./usePreview";
import { PreviewPane, showMessage, type Choices, type Step } from "./PreviewPane";
import type { Problem } from "./problems";
import { SectionNav } from "./SectionNav";
import { ABOUT, isDirty, MEMORY, save, store, useRole, type Section } from "./roleStore";
import { TextPane } from "./TextPane";
import { textFieldAt, jsonEqual, withoutBlankItems, type Config, type Draft } from "./promptConfig";
import { combinationOf } from "../ui/keys";
import { useKept } from "../ui/useKept";
import { Button } from "../ui/Button";
import { siteUrl } from "../ui/siteUrl";

export function RoleEditor({ choices }: { choices: Choices }) {
  const draft = useRole((state) => state.draft);
  const trouble = useRole((state) => state.error);
  useGuards();
  if (draft) return <OpenRoleEditor choices={choices} draft={draft} />;
  if (!trouble) return <p className="pane-note">Loading…</p>;
  return (
    <div className="empty" role="alert">
      <h1>This role could not be opened</h1>
      <p>{trouble}</p>
      <a className="button" href={siteUrl("/roles/")}>
        Back to all roles
      </a>
    </div>
  );
}

function OpenRoleEditor({ choices, draft }: { choices: Choices; draft: Draft }) {
  const role = useRole((state) => state.role!);
  const section = useRole((state) => state.section);
  const variables = useRole((state) => state.variables);
  const refused = useRole((state) => state.refused);
  const [step, setStep] = useState<Step>({ kind: "agent", trigger: "ticket", mode: null });
  const [written, setWritten] = useKept<EnteredValues>(
    `role ${role.id} sample values`,
    "Sample values",
    () => ({}),
  );
  const task = choices.tasks[step.kind]?.[step.trigger] ?? "ticket_task";
  const own = { name: draft.name, description: draft.description };
  const context = previewContext(variablesWithValue(variables, task), written, own);
  const previewState = usePreview({
    id: role.id,
    task,
    mode: step.mode,
    config: withoutBlankItems(draft.config),
    context,
  });
  const problems = withRefused(previewState.problems, refused, draft);
  const follow = (to: Section) => {
    const sentFor = textFieldAt(to)?.sentFor;
    if (sentFor) setStep({ ...step, ...sentFor });
    if (to !== ABOUT)
      showMessage(sentFor ? "user" : to === "/system_prompt" ? "system" : "developer");
  };
  return (
    <div className="role-editor">
      <RoleBar problems={problems} />
      <div className="role-panes">
        <SectionNav problems={problems} follow={follow} />
        <section className="role-part" aria-label={titleOf(section)}>
          <h2>{titleOf(section)}</h2>
          <SectionPane section={section} problems={problems} of={previewState.of} />
        </section>
        <PreviewPane
          {...{ choices, step, task, written, previewState }}
          onStep={setStep}
          onWritten={setWritten}
        />
      </div>
      <RoleDialogs />
    </div>
  );
}

/**
 * Add the problems of a refused save until the refused fields change. The preview does not check
 * names.
 */
function withRefused(
  problems: readonly Problem[],
  refused: { problems: readonly Problem[]; of: Draft } | null,
  draft: Draft,
): readonly Problem[] {
  if (!refused) return problems;
  const { config: _was, ...before } = refused.of;
  const { config: _is, ...now } = draft;
  const otherFields = refused.problems.filter((one) =>
    ["/name", "/description", "/color"].includes(one.path),
  );
  return jsonEqual(before, now) ? [...problems, ...otherFields] : problems;
}

const titleOf = (section: Section): string => {
  const place = textFieldAt(section);
  if (place) return place.group === "Prompts" ? place.title : `${place.group}: ${place.title}`;
  return section === MEMORY ? "Memory profile" : "Name and colour";
};

function SectionPane({
  section,
  problems,
  of,
}: {
  section: Section;
  problems: readonly Problem[];
  of: Config | null;
}) {
  const place = textFieldAt(section);
  if (place) return <TextPane place={place} problems={problems} of={of} />;
  return section === ABOUT ? (
    <AboutFields problems={problems} />
  ) : (
    <MemoryFields problems={problems} />
  );
}

function RoleBar({ problems }: { problems: readonly Problem[] }) {
  const { role, draft, saving, error } = useRole((state) => state);
  const dirty = useRole(isDirty);
  if (!role || !draft) return null;
  const errors = problems.filter((one) => one.level === "error").length;
  return (
    <>
      <header className="role-bar">
        <a href={siteUrl("/roles/")}>Roles</a>
        <span aria-hidden>/</span>
        <svg className="role-dot" viewBox="0 0 10 10" aria-hidden>
          <circle cx="5" cy="5" r="4.5" fill={draft.color} />
        </svg>
        <h1>{draft.name || "Unnamed"}</h1>
        {role.is_system ? (
          <span className="badge">system role, read only</span>
        ) : (
          <span className="muted" role="status" data-saved={String(!dirty)}>
            {saving ? "Saving…" : dirty ? "Not saved" : `Saved · revision ${role.revision}`}
          </span>
        )}
        {errors > 0 && (
          <span className="badge error">{errors === 1 ? "1 error" : `${errors} errors`}</span>
        )}
        <span className="end">
          <Button kind="quiet" onClick={() => store.setState({ dialog: "history" })}>
            <History className="icon" aria-hidden /> History
          </Button>
          {role.source_role_id !== null && !role.is_system && (
            <Button kind="quiet" onClick={() => store.setState({ dialog: "reset" })}>
              <RotateCcw className="icon" aria-hidden /> Reset…
            </Button>
          )}
          {role.is_system ? (
            <Button type="submit" form="make-copy" kind="primary">
              <Copy className="icon" aria-hidden /> Make my copy
            </Button>
          ) : (
            <Button
              kind="primary"
              disabled={!dirty || saving}
              title="Ctrl+S"
              onClick={() => void save()}
            >
              <Save className="icon" aria-hidden /> Save
            </Button>
          )}
        </span>
      </header>
      {error && (
        <p className="notice error" role="alert">
          {error}
        </p>
      )}
    </>
  );
}

/** Ctrl+S saves. A draft that is not saved is kept in the browser, so leaving need not ask. */
function useGuards(): void {
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (combinationOf(event) !== "Ctrl+S") return;
      event.preventDefault();
      void save();
    };
    addEventListener("keydown", keys);
    return () => removeEventListener("keydown", keys);
  }, []);
}
