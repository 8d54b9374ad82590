/** Text fields. A typed text is stored while it is typed, as far as it is right. */

import { useId, useRef } from "react";
import { Code } from "../../ui/code/Code";
import type { Language } from "../../ui/code/types";
import { jsonEqual, parseJson, parseNumber, parseText, type ParsedInput } from "./fieldEdits";
import type { FieldProps } from "./Field";
import { DIFFERENT, useForm } from "./formContext";
import { useDraft } from "./useDraft";
import { Problem } from "./Problem";

export function LineField(
  props: FieldProps & { read: (text: string) => ParsedInput; saved: string; numeric?: boolean },
) {
  const { id, pointer, schema, describedBy, label } = props;
  const { place, readOnly } = useForm();
  const choices = useId();
  // A part of a name, or of a text with a form, would be wrong while it is typed.
  const whole = schema["x-element"] ?? schema["x-choices"] ?? schema.examples ?? schema.pattern;
  const { inputProps, problem, clash } = useDraft({
    place: place + pointer,
    label,
    saved: props.saved,
    apply: useApply(props),
    live: whole === undefined,
  });
  const offered = schema["x-choices"] ?? schema.examples;
  return (
    <>
      <input
        id={id}
        className={props.numeric || schema["x-element"] ? "mono" : undefined}
        type="text"
        inputMode={props.numeric ? "decimal" : undefined}
        {...inputProps({ stay: true })}
        readOnly={readOnly || schema.readOnly}
        placeholder={placeholderOf(props)}
        list={offered ? choices : undefined}
        aria-invalid={problem !== null || undefined}
        aria-describedby={describedBy}
        autoComplete="off"
      />
      {offered && (
        <datalist id={choices}>
          {offered.map((choice) => (
            <option key={String(choice)} value={String(choice)} />
          ))}
        </datalist>
      )}
      <Problem text={problem} clash={clash} />
    </>
  );
}

export function TextField(props: FieldProps) {
  const saved = typeof props.value === "string" ? props.value : "";
  return (
    <LineField
      {...props}
      saved={saved}
      read={(text) => parseText(text, props.schema, props.required)}
    />
  );
}

export function NumberField(props: FieldProps) {
  const saved = props.value === undefined ? "" : String(props.value);
  const read = (text: string) => parseNumber(text, props.schema, props.required);
  return <LineField {...props} saved={saved} read={read} numeric />;
}

/** A field of several lines (prompt, code or plain text) in the text editor. */
export function MultilineField(props: FieldProps & { language: Language }) {
  const value = typeof props.value === "string" ? props.value : "";
  const read = (text: string) => parseText(text, props.schema, props.required);
  return <CodeField {...props} saved={value} read={read} />;
}

export function JsonField(props: FieldProps) {
  const saved = props.value === undefined ? "" : JSON.stringify(props.value, null, 2);
  return (
    <CodeField
      {...props}
      language="json"
      saved={saved}
      read={(text) => parseJson(text, props.required)}
    />
  );
}

type CodeFieldProps = FieldProps & {
  language: Language;
  saved: string;
  read: (text: string) => ParsedInput;
};

function CodeField(props: CodeFieldProps) {
  const { label, pointer, schema, language, saved, read, value } = props;
  const { place, readOnly } = useForm();
  const applied = useRef("");
  // JSON is saved in a form of its own. The editor keeps that in which it was typed.
  const own = read(applied.current);
  const shown = "value" in own && jsonEqual(own.value, value) ? applied.current : saved;
  const apply = useApply(props);
  const { codeProps, problem, clash } = useDraft({
    place: place + pointer,
    label,
    saved: shown,
    apply: (text, typing) => {
      applied.current = text;
      return apply(text, typing);
    },
    live: true,
  });
  return (
    <>
      <Code
        label={label}
        value={shown}
        language={language}
        readOnly={readOnly || (schema.readOnly ?? false)}
        placeholder={placeholderOf(props)}
        autoFocus={props.added}
        {...codeProps}
      />
      <Problem text={problem} clash={clash} />
    </>
  );
}

/** Stores a typed text. Nothing is removed while a person types, because the field would go away. */
function useApply({
  pointer,
  read,
}: {
  pointer: string;
  read: (text: string) => ParsedInput;
}): (text: string, typing: boolean) => Promise<string | null | undefined> {
  const { commit } = useForm();
  return (text, typing) => {
    const parsed = read(text);
    if ("problem" in parsed) return Promise.resolve(parsed.problem);
    if (typing && parsed.value === undefined) return Promise.resolve(undefined);
    return commit(pointer, parsed.value, true);
  };
}

function placeholderOf({ schema, different }: FieldProps): string {
  if (different) return DIFFERENT;
  if (schema.default === undefined || schema.default === null || schema.default === "") return "";
  return typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default);
}
