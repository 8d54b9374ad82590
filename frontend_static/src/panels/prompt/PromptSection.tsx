import { ArrowUpRight, ChevronsLeft, ChevronsRight, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import {
  runCommand,
  session,
  useSession,
  type Finding,
  type Form,
  type PromptField,
  isFixed,
} from "../../session";
import { Code } from "../../ui/code/Code";
import type { PromptNames } from "../../ui/code/placeholders";
import { estimatedTokens } from "../../ui/tokenEstimate";
import { IconButton } from "../../ui/IconButton";
import { FieldFinding } from "../form/Field";
import { parseText, valueAt } from "../form/fieldEdits";
import { findingsAt, formContext, useForm, FormProvider } from "../form/formContext";
import { Problem } from "../form/Problem";
import { schemaAt, type Schema } from "../form/schema";
import { useDraft } from "../form/useDraft";
import { WIDE_PROMPT } from "../panelCommands";
import { usePanels } from "../panelState";
import { showElement } from "../showElement";
import { useElementForm } from "../inspector/useElementForm";
import { declaration } from "./declaration";
import "./promptSection.css";
import { Button } from "../../ui/Button";

/** The prompt of a state, above its other fields. It may be stored in another element. */
export function PromptSection({ field }: { field: PromptField }) {
  const { form } = useForm();
  return field.element === form.element ? (
    <PromptText field={field} />
  ) : (
    <PromptElsewhere field={field} parent={form} />
  );
}

const NO_FINDINGS: Finding[] = [];

/** The prompt in the form of another element, such as the prompt that a state names. */
function PromptElsewhere({ field, parent }: { field: PromptField; parent: Form }) {
  const { form, problem } = useElementForm(field.element, parent);
  const readOnly = useSession(isFixed);
  const findings = useSession((state) => state.findingsOf.get(field.element) ?? NO_FINDINGS);
  const context = useMemo(
    () => form && formContext(form, readOnly, findings),
    [form, readOnly, findings],
  );
  if (problem) return <p className="notice warning">{problem}</p>;
  if (!context || form?.element !== field.element) return <div className="prompt-loading" />;
  return (
    <FormProvider value={context}>
      <PromptText field={field} elsewhere />
    </FormProvider>
  );
}

function PromptText({ field, elsewhere = false }: { field: PromptField; elsewhere?: boolean }) {
  const context = useForm();
  const { form, readOnly, commit } = context;
  const [problem, setProblem] = useState<string | null>(null);
  const [added, setAdded] = useState(false);
  const schema = schemaAt(form.schema, field.field);
  const value = valueAt(form.values, field.field);
  const fixed = readOnly || (schema.readOnly ?? false);
  const names = useMemo(
    () => ({ ...field, declare: fixed ? undefined : declareIn(form, field) }),
    [field, form, fixed],
  );
  if (value === undefined)
    return fixed ? null : (
      <div className="prompt-section absent">
        <Button
          kind="quiet small add"
          onClick={() => {
            setAdded(true);
            void commit(field.field, "").then(setProblem);
          }}
        >
          <Plus className="icon" aria-hidden /> Prompt
        </Button>
        <Problem text={problem} />
      </div>
    );
  const text = typeof value === "string" ? value : "";
  return (
    <section className="prompt-section" aria-label="Prompt" data-pointer={field.field}>
      <div className="prompt-bar">
        <h3>Prompt</h3>
        {elsewhere && (
          <IconButton
            label={`Go to ${form.element.replace(":", " ")}`}
            onClick={() => showElement(field.element)}
            Icon={ArrowUpRight}
          />
        )}
        <span className="spacer" />
        <span className="help" title="Estimated: four characters each">
          ≈ {estimatedTokens(text).toLocaleString("en")} tokens
        </span>
        <WidthButton />
      </div>
      <PromptEditor {...{ field, schema, text, fixed, names, added }} />
      <Problem text={problem} />
      {findingsAt(context, field.field).map((one) => (
        <FieldFinding key={one.code + one.message} finding={one} />
      ))}
      {schema.readOnly && schema.description && <p className="help">{schema.description}</p>}
    </section>
  );
}

interface EditorProps {
  field: PromptField;
  schema: Schema;
  text: string;
  fixed: boolean;
  names: PromptNames;
  added: boolean;
}

function PromptEditor({ field, schema, text, fixed, names, added }: EditorProps) {
  const { place, commit } = useForm();
  const { codeProps, problem, clash } = useDraft({
    place: place + field.field,
    label: "Prompt",
    saved: text,
    apply: (typed) => {
      const parsed = parseText(typed, schema, true);
      if ("problem" in parsed) return Promise.resolve(parsed.problem);
      return commit(field.field, parsed.value, true);
    },
    live: true,
  });
  return (
    <>
      <Code
        label="Prompt"
        value={text}
        language="prompt"
        readOnly={fixed}
        names={names}
        autoFocus={added}
        placeholder={`Write the prompt. ${field.opening}name${field.closing} inserts a value.`}
        {...codeProps}
      />
      <Problem text={problem} clash={clash} />
    </>
  );
}

function WidthButton() {
  const wide = usePanels((state) => state.widePrompt);
  const Icon = wide ? ChevronsRight : ChevronsLeft;
  return (
    <IconButton
      label={wide ? "Narrow the prompt (W)" : "Widen the prompt (W)"}
      onClick={() => runCommand(WIDE_PROMPT)}
      Icon={Icon}
    />
  );
}

/** Adds a variable to the list that declares them; undefined where there is no such list. */
function declareIn(form: Form, field: PromptField): ((name: string) => void) | undefined {
  if (!field.declarations) return undefined;
  return (name) => void session.edit([declaration(form, field, name)]);
}
