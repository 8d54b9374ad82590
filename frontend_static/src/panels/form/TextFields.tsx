/** Text fields. A typed text is committed on Enter or when the field loses focus. */

import { useId, useState, type KeyboardEvent } from "react";
import { Code } from "../../ui/code/Code";
import type { Language } from "../../ui/code/types";
import { parseJson, parseNumber, parseText, type ParsedInput } from "./fieldEdits";
import type { FieldProps } from "./Field";
import { DIFFERENT, useForm } from "./formContext";
import { useDraft } from "./useDraft";
import { Problem } from "./Problem";

export function LineField(
  props: FieldProps & { read: (text: string) => ParsedInput; saved: string; numeric?: boolean },
) {
  const { id, pointer, schema, describedBy, read, saved } = props;
  const { commit, readOnly } = useForm();
  const { draft, type, reset, takeChange, problem, setProblem } = useDraft(saved);
  const choices = useId();
  const finish = async () => {
    const text = takeChange();
    if (text === null) return;
    const typed = read(text);
    if ("problem" in typed) return setProblem(typed.problem);
    setProblem(await commit(pointer, typed.value));
  };
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.key === "Enter") void finish();
    if (event.key === "Escape") {
      reset();
      event.currentTarget.blur();
    }
  };
  const offered = schema["x-choices"] ?? schema.examples;
  return (
    <>
      <input
        id={id}
        className={props.numeric || schema["x-element"] ? "mono" : undefined}
        type="text"
        inputMode={props.numeric ? "decimal" : undefined}
        value={draft}
        readOnly={readOnly || schema.readOnly}
        placeholder={placeholderOf(props)}
        list={offered ? choices : undefined}
        aria-invalid={problem !== null || undefined}
        aria-describedby={describedBy}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => type(event.target.value)}
        onBlur={() => void finish()}
        onKeyDown={keys}
      />
      {offered && (
        <datalist id={choices}>
          {offered.map((choice) => (
            <option key={String(choice)} value={String(choice)} />
          ))}
        </datalist>
      )}
      <Problem text={problem} />
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
  const { label, pointer, schema, language, saved, read } = props;
  const { commit, readOnly } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const finish = async (text: string) => {
    const typed = read(text);
    setProblem("problem" in typed ? typed.problem : await commit(pointer, typed.value));
  };
  return (
    <>
      <Code
        label={label}
        value={saved}
        language={language}
        readOnly={readOnly || (schema.readOnly ?? false)}
        placeholder={placeholderOf(props)}
        onCommit={(text) => void finish(text)}
      />
      <Problem text={problem} />
    </>
  );
}

function placeholderOf({ schema, different }: FieldProps): string {
  if (different) return DIFFERENT;
  if (schema.default === undefined || schema.default === null || schema.default === "") return "";
  return typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default);
}
