/** Nested fields: the properties of an object, and objects with several variants. */

import { useForm } from "./formContext";
import { appendToPointer } from "./fieldEdits";
import { Field, type FieldProps } from "./Field";
import { FoldedGroup } from "./FoldedGroup";
import { emptyValue, isObject, labelOf, orderedProperties, variantOf, type Schema } from "./schema";
import { JsonField } from "./TextFields";

/**
 * The properties of an object by group, in the order of the schema, then the rarely used ones, and
 * keys that the schema does not name.
 */
export function Properties({
  schema,
  pointer,
  value,
}: {
  schema: Schema;
  pointer: string;
  value: unknown;
}) {
  const { readOnly, form } = useForm();
  const propertyOf = (name: string) => schema.properties?.[name] ?? {};
  const isSet = (name: string) =>
    (value as Record<string, unknown> | undefined)?.[name] !== undefined;
  const names = orderedProperties(schema);
  const rare = names.filter((name) => propertyOf(name)["x-rare"] && (isSet(name) || !readOnly));
  const groups = new Map<string, string[]>();
  for (const name of names) {
    if (propertyOf(name)["x-rare"]) continue;
    const group = propertyOf(name)["x-group"] ?? "";
    groups.set(group, [...(groups.get(group) ?? []), name]);
  }
  const group = (title: string, inside: string[], rarely = false) => (
    <FoldedGroup
      key={title}
      title={title}
      place={`${form.element.split(":", 1)[0]}${pointer}`}
      pointers={inside.map((name) => appendToPointer(pointer, name))}
      set={inside.filter((name) => isSet(name) && !propertyOf(name).readOnly).length}
      rare={rarely}
    >
      {inside.map((name) => (
        <Field
          key={name}
          name={name}
          pointer={appendToPointer(pointer, name)}
          schema={propertyOf(name)}
          required={schema.required?.includes(name) ?? false}
        />
      ))}
    </FoldedGroup>
  );
  return (
    <>
      {[...groups].map(([title, inside]) => group(title, inside))}
      {rare.length > 0 && group("Rarely used", rare, true)}
      <UnknownKeys schema={schema} pointer={pointer} value={value} />
    </>
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
    <FoldedGroup
      title="Other keys"
      place={pointer}
      pointers={names.map((name) => appendToPointer(pointer, name))}
      set={names.length}
    >
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
    </FoldedGroup>
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
        {current < 0 && <option value={-1}>Something else</option>}
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
