/** Nested fields: the properties of an object, and objects with several variants. */

import { useState, type ReactNode } from "react";
import { Disclosure } from "../../ui/Disclosure";
import { findingsAt, useForm } from "./formContext";
import { appendToPointer } from "./fieldEdits";
import { Field, type FieldProps } from "./Field";
import { emptyValue, isObject, labelOf, orderedProperties, variantOf, type Schema } from "./schema";
import { JsonField } from "./TextFields";

/** The properties of an object by group, then keys that the schema does not name. */
export function Properties({
  schema,
  pointer,
  value,
}: {
  schema: Schema;
  pointer: string;
  value: unknown;
}) {
  const names = orderedProperties(schema);
  const groups = new Map<string, string[]>();
  for (const name of names) {
    const group = schema.properties?.[name]?.["x-group"] ?? "";
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const context = useForm();
  const isFolded = (name: string) =>
    schema.properties?.[name]?.["x-rare"] === true &&
    (value as Record<string, unknown> | undefined)?.[name] === undefined &&
    !findingsAt(context, appendToPointer(pointer, name)).length;
  const rare = context.readOnly ? [] : names.filter(isFolded);
  const field = (name: string) => (
    <Field
      key={name}
      name={name}
      pointer={appendToPointer(pointer, name)}
      schema={schema.properties?.[name] ?? {}}
      required={schema.required?.includes(name) ?? false}
    />
  );
  return (
    <>
      {[...groups].map(([group, inside]) => (
        <Group key={group} title={group}>
          {inside.filter((name) => !rare.includes(name)).map(field)}
        </Group>
      ))}
      {rare.length > 0 && <RareFields>{rare.map(field)}</RareFields>}
      <UnknownKeys schema={schema} pointer={pointer} value={value} />
    </>
  );
}

/** Fields that hardly any author sets, folded until they are wanted. */
function RareFields({ children }: { children: ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <Disclosure title="Rarely used" open={open} onToggle={setOpen} className="field">
      {children}
    </Disclosure>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  if (!title) return children;
  return (
    <section className="form-group" aria-label={title}>
      <h3>{title}</h3>
      {children}
    </section>
  );
}

/** Keys that the format does not name. They are shown as JSON and never dropped. */
function UnknownKeys({
  schema,
  pointer,
  value,
}: {
  schema: Schema;
  pointer: string;
  value: unknown;
}) {
  if (!isObject(value as never)) return null;
  const names = Object.keys(value as object).filter((name) => !schema.properties?.[name]);
  if (names.length === 0) return null;
  const inside = typeof schema.additionalProperties === "object" ? schema.additionalProperties : {};
  return (
    <Group title="Other keys">
      {names.map((name) => (
        <Field
          key={name}
          name={name}
          pointer={appendToPointer(pointer, name)}
          schema={inside}
          required={false}
          removable
        />
      ))}
    </Group>
  );
}

export function ObjectField({ schema, pointer, value }: FieldProps) {
  return <Properties schema={schema} pointer={pointer} value={value} />;
}

/** An object with several variants. Another variant keeps the keys that both have. */
export function VariantField(props: FieldProps) {
  const { id, label, schema, pointer, value } = props;
  const { commit, readOnly } = useForm();
  const options = schema.oneOf ?? [];
  const current = variantOf(schema, value);
  const choose = (index: number) => {
    const option = options[index];
    if (!option) return;
    const start = emptyValue(option);
    if (!isObject(start)) return void commit(pointer, start);
    const before = isObject(value) ? value : {};
    const shared = Object.entries(before).filter(
      ([name]) =>
        option.properties?.[name] &&
        option.properties[name].const === undefined &&
        !option.properties[name].enum,
    );
    void commit(pointer, { ...start, ...Object.fromEntries(shared) });
  };
  const option = options[current];
  return (
    <>
      <select
        id={id}
        aria-label={`Kind of ${label}`}
        value={current}
        disabled={readOnly}
        onChange={(event) => choose(Number(event.target.value))}
      >
        {current < 0 && <option value={-1}>something else</option>}
        {options.map((one, index) => (
          <option key={index} value={index}>
            {labelOf(`kind ${index + 1}`, one)}
          </option>
        ))}
      </select>
      {option ? (
        <Properties schema={option} pointer={pointer} value={value} />
      ) : (
        <JsonField {...props} />
      )}
    </>
  );
}
