/** One field of a form: label, widget, help and findings. */

import { ArrowUpRight, Plus, RotateCcw, X } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import type { Finding, Json } from "../../session";
import { Disclosure } from "../../ui/Disclosure";
import { usePanels } from "../panelState";
import { EnumField, BooleanField } from "./ChoiceFields";
import { DIFFERENT, findingsAt, isDifferent, useForm } from "./formContext";
import { valueAt } from "./fieldEdits";
import { MapField, ObjectListField, StringListField } from "./ListFields";
import { ObjectField, VariantField } from "./NestedFields";
import { emptyValue, labelOf, widgetOf, type Schema, type Widget } from "./schema";
import { NumberField, JsonField, MultilineField, TextField } from "./TextFields";
import { IconButton } from "../../ui/IconButton";
import { useDraft } from "./useDraft";
import { Button } from "../../ui/Button";

export interface FieldPlace {
  name: string;
  pointer: string;
  schema: Schema;
  required: boolean;
  /** The field is a map entry: removing it removes its key, with no default in its place. */
  removable?: boolean;
  buttons?: ReactNode;
  rename?: ((to: string) => void | Promise<void>) | undefined;
}

/** Props of a widget. `value` is undefined if the file does not set it. */
export interface FieldProps extends FieldPlace {
  id: string;
  label: string;
  value: Json | undefined;
  /** Several states are selected and their values differ; then `value` has what all share. */
  different: boolean;
  describedBy: string | undefined;
  /** The field was just added by its button, so its editor takes the focus. */
  added: boolean;
}

const WIDGETS: Record<Widget, (props: FieldProps) => ReactNode> = {
  line: (props) => <TextField {...props} />,
  lines: (props) => <MultilineField {...props} language="text" />,
  prompt: (props) => <MultilineField {...props} language="prompt" />,
  code: (props) => <MultilineField {...props} language="text" />,
  number: (props) => <NumberField {...props} />,
  boolean: (props) => <BooleanField {...props} />,
  enum: (props) => <EnumField {...props} />,
  strings: (props) => <StringListField {...props} />,
  list: (props) => <ObjectListField {...props} />,
  map: (props) => <MapField {...props} />,
  object: (props) => <ObjectField {...props} />,
  variants: (props) => <VariantField {...props} />,
  json: (props) => <JsonField {...props} />,
};

const BLOCK_WIDGETS: ReadonlySet<Widget> = new Set([
  "object",
  "variants",
  "map",
  "list",
  "strings",
  "json",
  "prompt",
  "code",
  "lines",
]);
/** Widgets that show different values in their title, because they have no text of their own. */
const SET_WIDGETS: ReadonlySet<Widget> = new Set(["variants", "list", "map", "strings"]);
/** Lists and objects that are only compared, and set, as a whole. */
const WHOLE_WIDGETS: ReadonlySet<Widget> = new Set(["variants", "list"]);
const FOLDED_WIDGETS: ReadonlySet<Widget> = new Set(["object", "variants", "map", "list"]);

export function Field(place: FieldPlace) {
  const context = useForm();
  const { form, readOnly, commit } = context;
  const { name, pointer, schema, required } = place;
  const value = valueAt(form.values, pointer);
  const widget = widgetOf(schema, value);
  // A key that the format does not name is the author's, in its own spelling.
  const label = place.removable ? name : labelOf(name, schema);
  const keyPlace = `${context.place}${pointer} key`;
  const id = useId();
  const findings = findingsAt(context, pointer);
  const different = isDifferent(context, pointer);
  const box = useScrollIntoView(form.pointer + pointer);
  const added = useRef(false);
  const isSet = value !== undefined;
  useLayoutEffect(() => {
    if (isSet && added.current) focusField(box.current);
    if (isSet) added.current = false;
  }, [isSet, box]);

  if (value === undefined && BLOCK_WIDGETS.has(widget) && !different) {
    if (readOnly || schema.readOnly) return null;
    return (
      <AddFieldButton
        label={label}
        schema={schema}
        add={() => {
          added.current = true;
          void commit(pointer, initialValue(widget, schema));
        }}
      />
    );
  }
  const helpId = schema.description ? `${id}-help` : undefined;
  const props: FieldProps = {
    ...place,
    id,
    label,
    value,
    different,
    describedBy: helpId,
    added: added.current,
  };
  const title = (
    <Title
      label={label}
      required={required && !place.buttons}
      different={different && SET_WIDGETS.has(widget)}
    />
  );
  const aside = (
    <>
      <FollowLink schema={schema} value={value} />
      <span className="field-buttons">
        {place.buttons}
        {(value !== undefined || different) && !required && !readOnly && !schema.readOnly && (
          <UnsetButton
            label={label}
            removable={place.removable}
            unset={() => void commit(pointer, undefined)}
          />
        )}
      </span>
    </>
  );
  const rest = (
    <>
      {different && WHOLE_WIDGETS.has(widget) ? (
        <ReplaceButton
          label={label}
          replace={() => void commit(pointer, initialValue(widget, schema))}
        />
      ) : (
        WIDGETS[widget](props)
      )}
      {schema.description && (
        <div className="help" id={helpId}>
          {schema.description}
        </div>
      )}
    </>
  );
  if (FOLDED_WIDGETS.has(widget))
    return (
      <div className="field" ref={box} data-pointer={pointer}>
        <FoldedField
          title={title}
          aside={aside}
          open={findings.length > 0 || added.current}
          place={form.pointer + pointer}
        >
          {place.rename && (
            <KeyInput key={name} name={name} place={keyPlace} rename={place.rename} />
          )}
          {rest}
        </FoldedField>
      </div>
    );
  const Label = BLOCK_WIDGETS.has(widget) || place.rename ? "div" : "label";
  return (
    <div className="field" ref={box} data-pointer={pointer}>
      <div className="field-label">
        {place.rename ? (
          <KeyInput key={name} name={name} place={keyPlace} rename={place.rename} />
        ) : (
          <Label className="row" {...(Label === "label" ? { htmlFor: id } : {})}>
            {title}
          </Label>
        )}
        {aside}
      </div>
      {rest}
      {findings.map((one) => (
        <FieldFinding key={one.code + one.message} finding={one} />
      ))}
    </div>
  );
}

interface TitleProps {
  label: string;
  required: boolean;
  different: boolean;
}

function Title({ label, required, different }: TitleProps) {
  return (
    <>
      <span className="field-name">{label}</span>
      {different && <span className="badge different">{DIFFERENT.toLowerCase()}</span>}
      {required && (
        <span className="required-mark" title="The format requires it">
          required
        </span>
      )}
    </>
  );
}

function UnsetButton({
  label,
  removable,
  unset,
}: {
  label: string;
  removable: boolean | undefined;
  unset: () => void;
}) {
  const Sign = removable ? X : RotateCcw;
  return (
    <IconButton label={`${removable ? "Remove" : "Unset"} ${label}`} onClick={unset} Icon={Sign} />
  );
}

function ReplaceButton({ label, replace }: { label: string; replace: () => void }) {
  return (
    <Button kind="small" onClick={replace}>
      Replace {label} in all states
    </Button>
  );
}

interface FoldedProps {
  title: ReactNode;
  aside: ReactNode;
  /** Open at first. */
  open: boolean;
  place: string;
  children: ReactNode;
}

/**
 * A field with nested fields. It opens if it contains findings, or if a request points inside it.
 */
function FoldedField({ title, aside, open: openAtFirst, place, children }: FoldedProps) {
  const [open, setOpen] = useState(openAtFirst);
  const request = usePanels((ui) => ui.field);
  useEffect(() => {
    if (request && `${request.pointer}/`.startsWith(`${place}/`)) setOpen(true);
  }, [request, place]);
  return (
    <Disclosure className="folded" title={title} aside={aside} open={open} onToggle={setOpen}>
      {children}
    </Disclosure>
  );
}

function initialValue(widget: Widget, schema: Schema): Json {
  const value = emptyValue(schema);
  return widget === "json" && value === null ? {} : value;
}

function AddFieldButton({
  label,
  schema,
  add,
}: {
  label: string;
  schema: Schema;
  add: () => void;
}) {
  return (
    <div className="field absent">
      <Button kind="quiet small add" title={schema.description} onClick={add}>
        <Plus className="icon" aria-hidden /> {label}
      </Button>
    </div>
  );
}

function KeyInput({ name, place, rename }: KeyInputProps) {
  const { inputProps } = useDraft({
    place,
    label: `Key ${name}`,
    saved: name,
    apply: async (to) => {
      await rename(to.trim());
      return null;
    },
  });
  return (
    <input className="input bare mono key-name" aria-label={`Key ${name}`} {...inputProps()} />
  );
}

interface KeyInputProps {
  name: string;
  place: string;
  rename: (to: string) => void | Promise<void>;
}

function FollowLink({ schema, value }: { schema: Schema; value: Json | undefined }) {
  const { follow } = useForm();
  const kind = schema["x-element"];
  if (!kind || typeof value !== "string" || value === "") return null;
  return (
    <IconButton
      label={`Go to ${kind} ${value}`}
      onClick={() => follow(`${kind}:${value}`)}
      Icon={ArrowUpRight}
    />
  );
}

export function FieldFinding({ finding }: { finding: Finding }) {
  return (
    <div
      className={`field-finding level-${finding.level}`}
      data-finding={finding.code}
      title={finding.hint}
    >
      <b>{finding.code}</b> {finding.message}
    </div>
  );
}

/** Focus the first place to type in a field, or the button that adds an entry to it. */
function focusField(box: HTMLElement | null): void {
  const [first] = ["input, select, textarea", "button.add"].flatMap(
    (selector) =>
      box?.querySelector<HTMLElement>(
        `:scope > :not(.field-label) :is(${selector}), :scope > :is(${selector})`,
      ) ?? [],
  );
  first?.focus();
}

/** Scroll to this field and focus it when a finding points at it. */
function useScrollIntoView(place: string) {
  const box = useRef<HTMLDivElement>(null);
  const request = usePanels((ui) => ui.field);
  useEffect(() => {
    if (!request || request.pointer !== place || !box.current) return;
    box.current.scrollIntoView({ block: "center" });
    box.current.querySelector<HTMLElement>("input, select, [contenteditable=true]")?.focus();
  }, [request, place]);
  return box;
}
