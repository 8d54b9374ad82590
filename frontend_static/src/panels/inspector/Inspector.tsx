import {
  ArrowUpRight,
  Code2,
  PanelRightClose,
  PanelRightOpen,
  SquareArrowOutDownRight,
  Trash2,
} from "lucide-react";
import { useMemo } from "react";
import {
  AgentInspector,
  RunInspector,
  StateInspector,
  useRunPage,
  useSelectedAgent,
  useSelectedRunState,
} from "../../run";
import {
  canOpenLevel,
  levelKey,
  session,
  useSession,
  type Edit,
  type Finding,
  type Form,
  type GraphMaps,
  isFixed,
} from "../../session";
import { FormProvider, formContext } from "../form/formContext";
import { Properties } from "../form/NestedFields";
import { FieldFinding } from "../form/Field";
import { withoutField, type Schema } from "../form/schema";
import { PromptSection } from "../prompt/PromptSection";
import { Pane } from "../Pane";
import { panels, usePanels } from "../panelState";
import { ApprovalLimitField } from "../../ui/ApprovalLimitField";
import { IconButton } from "../../ui/IconButton";
import { useProposals } from "../proposals/reviewStore";
import { showElement } from "../showElement";
import { useElementForm } from "./useElementForm";
import { RenameField } from "./RenameField";
import { StatesForm, useSelectedStates } from "./StatesForm";
import { onDemand } from "../../ui/onDemand";
import { Button } from "../../ui/Button";

const RoleSection = onDemand("RoleSection", () => import("../roleBinding/RoleSection"));

const ProposalReview = onDemand("ProposalReview", () => import("../proposals/ProposalReview"));
const ProposedElement = onDemand("ProposedElement", () => import("../proposals/ProposedElement"));
const isReviewing = (state: { review: unknown }) => state.review !== null;

/** The form of the selected element, or of the pack. */
export function Inspector() {
  const open = usePanels((state) => state.inspector);
  const wide = usePanels((state) => state.widePrompt);
  const agent = useSelectedAgent();
  const visited = useSelectedRunState();
  const onRunPage = useRunPage();
  const reviewing = useProposals(isReviewing);
  const nothingSelected = useSession((state) => state.element === "pack");
  if (!open)
    return (
      <div className="closed-pane right">
        <IconButton
          label="Show the inspector (])"
          onClick={() => panels.toggle("inspector")}
          Icon={PanelRightOpen}
        />
      </div>
    );
  return (
    <Pane side="right" label="Inspector" wide={wide}>
      {reviewing && <ProposalReview />}
      {agent ? (
        <>
          <Head title="Agent" />
          <AgentInspector node={agent} setup={<ElementForm bare />} />
        </>
      ) : visited ? (
        <>
          <Head title="State in the run" />
          <StateInspector state={visited} setup={<ElementForm bare />} />
        </>
      ) : onRunPage && nothingSelected ? (
        <>
          <Head title="Run" />
          <RunInspector setup={<ElementForm bare />} />
        </>
      ) : (
        <ElementForm />
      )}
    </Pane>
  );
}

const Head = ({ title }: { title: string }) => (
  <div className="pane-head">
    <h2 className="pane-title">{title}</h2>
    <span className="spacer" />
    <HideButton />
  </div>
);

function HideButton() {
  return (
    <IconButton
      label="Hide the inspector (])"
      onClick={() => panels.toggle("inspector")}
      Icon={PanelRightClose}
    />
  );
}

/** `bare`: without a heading, because it is part of another panel. */
function ElementForm({ bare = false }: { bare?: boolean }) {
  const states = useSelectedStates();
  return states.length > 1 ? (
    <StatesForm states={states} bare={bare} buttons={<HideButton />} />
  ) : (
    <OneElementForm bare={bare} />
  );
}

function OneElementForm({ bare }: { bare: boolean }) {
  const element = useSession((state) => state.element);
  const selected = useSession((state) => state.selection.size);
  const readOnly = useSession(isFixed);
  const reviewing = useProposals(isReviewing);
  const lockedBy = useSession((state) => state.lockedBy);
  const findings = useSession(
    (state) => state.findingsOf.get(element === "pack" ? "" : element) ?? NO_FINDINGS,
  );
  const added = useSession((state) => addedBy(state.fullGraph, element));
  const ghost = useSession((state) =>
    ["added", "renamed"].includes(
      (state.comparison?.proposed && state.comparison.marks.get(element)) || "",
    ),
  );
  const hasForm = added === null && !ghost;
  const { form, problem, stale } = useElementForm(hasForm ? element : "pack");
  const context = useMemo(
    () => form && formContext(form, readOnly, findings),
    [form, readOnly, findings],
  );
  return (
    <>
      {!bare && (
        <div className="pane-head">
          <h2 className="pane-title">{elementKind(element)}</h2>
          {selected > 1 && <span className="badge">{selected} selected</span>}
          <span className="spacer" />
          {form?.path && !readOnly && (
            <IconButton
              label="Show in the text"
              onClick={() => panels.showFile(form.path, form.line)}
              Icon={Code2}
            />
          )}
          {form?.removable && !readOnly && (
            <IconButton label={`Remove ${form.title}`} onClick={() => remove(form)} Icon={Trash2} />
          )}
          <HideButton />
        </div>
      )}
      {/* While another element's form is shown, it takes no input: typed text would be lost and shortcuts would reach the canvas. */}
      <div className="pane-body" tabIndex={-1} key={form?.element ?? "none"} inert={stale}>
        {problem && <p className="notice warning">{problem}</p>}
        {reviewing && <ProposedElement element={element} />}
        {lockedBy && <p className="notice hint">{lockedBy}</p>}
        {added !== null && (
          <p className="notice hint">
            {elementName(element)} was added in this run{added ? ` by ${added}` : ""}. Save the
            graph as a new pack to change it.
          </p>
        )}
        {hasForm && form && context && (
          <FormProvider value={context}>
            <FormHead form={form} findings={findings} readOnly={readOnly} />
            {form.prompt && <PromptSection key={form.prompt.element} field={form.prompt} />}
            <Properties
              key={form.element}
              schema={ownFields(form).schema}
              pointer=""
              value={ownFields(form).values}
            />
            {form.element.startsWith("state:") && (
              <RoleSection element={form.element} readOnly={readOnly} />
            )}
            {form.element === "pack" && !readOnly && <PackApprovalLimit />}
            <Links form={form} />
          </FormProvider>
        )}
      </div>
    </>
  );
}

/** The time limit of questions to people, stored on the server and not in the files. */
function PackApprovalLimit() {
  const limit = useSession((state) => state.packDetail?.approval_limit ?? null);
  return (
    <ApprovalLimitField
      value={limit}
      otherwise="As for the server"
      change={(next) => void session.setApprovalLimit(next)}
    />
  );
}

const NO_FINDINGS: Finding[] = [];

/** The state that added this element in the shown run; null if the element is in the pack. */
function addedBy(graph: GraphMaps, element: string): string | null {
  const [kind = "", id] = [element.split(":", 1)[0], element.slice(element.indexOf(":") + 1)];
  return kind === "state" || kind === "transition" ? (graph.addedBy?.[id] ?? null) : null;
}

const elementName = (element: string): string =>
  element
    .slice(element.indexOf(":") + 1)
    .split("|")
    .join(" · ");

/** Schema and values without the prompt that is shown above them. */
function ownFields(form: Form): { schema: Schema; values: Form["values"] } {
  if (form.prompt?.element !== form.element) return { schema: form.schema, values: form.values };
  const name = form.prompt.field.split("/")[1] ?? "";
  const { [name]: _above, ...values } = form.values;
  return { schema: withoutField(form.schema, form.prompt.field), values };
}

function FormHead({
  form,
  findings,
  readOnly,
}: {
  form: Form;
  findings: Finding[];
  readOnly: boolean;
}) {
  const elsewhere = findings.filter((one) => !hasField(form, one));
  return (
    <>
      {form.renamable && !readOnly ? (
        <RenameField form={form} />
      ) : (
        <p className="form-title mono" translate="no">
          {form.title}
        </p>
      )}
      <OpenLevelButton element={form.element} />
      {elsewhere.map((one) => (
        <FieldFinding key={one.code + one.message} finding={one} />
      ))}
    </>
  );
}

/** A button to open the level that the element is shown on or opens. */
function OpenLevelButton({ element }: { element: string }) {
  const level = useSession((state) => {
    const inside = element.startsWith("state:")
      ? (state.fullGraph.states.get(element.slice(6))?.inside ?? "")
      : element;
    return inside && inside !== state.level && canOpenLevel(state, inside) ? inside : "";
  });
  if (!level) return null;
  return (
    <Button kind="small open-level" onClick={() => session.openLevel(level)}>
      <SquareArrowOutDownRight className="icon" aria-hidden /> Open the canvas of {levelKey(level)}
    </Button>
  );
}

/** True if one of the form's own fields shows this finding. */
function hasField(form: Form, finding: Finding): boolean {
  if (finding.path !== form.path || !finding.pointer.startsWith(`${form.pointer}/`)) return false;
  const first = finding.pointer.slice(form.pointer.length + 1).split("/")[0] ?? "";
  const schema = form.schema as Schema;
  return first in (schema.properties ?? {}) && first in form.values;
}

function remove(form: Form): void {
  const id = form.element.slice(form.element.indexOf(":") + 1);
  const edit: Edit = form.element.startsWith("state:")
    ? { type: "remove_state", id }
    : form.element.startsWith("transition:")
      ? { type: "disconnect", transition: id }
      : { type: "remove_object", element: form.element };
  void session.edit([edit]).then((outcome) => {
    if (outcome.ok) session.select([], "pack");
  });
}

function Links({ form }: { form: Form }) {
  if (form.links.length === 0) return null;
  return (
    <section className="form-group" aria-label="Goes with">
      <h3>Goes with</h3>
      <div className="links">
        {form.links.map((link) => (
          <Button key={link.element} kind="quiet small" onClick={() => showElement(link.element)}>
            <ArrowUpRight className="icon" aria-hidden />{" "}
            <span className="truncate">{link.label}</span>
          </Button>
        ))}
      </div>
    </section>
  );
}

function elementKind(element: string): string {
  const kind = element.split(":", 1)[0] ?? "";
  return kind.charAt(0).toUpperCase() + kind.slice(1).replace(/_/g, " ");
}
