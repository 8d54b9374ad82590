/** Fields with few possible values: booleans and enums. */

import { useEffect, useRef, useState } from "react";
import type { Json } from "../../session";
import { DIFFERENT, useForm } from "./formContext";
import type { FieldProps } from "./Field";
import { Problem } from "./Problem";

export function EnumField(props: FieldProps) {
  const { id, pointer, schema, value, different, required, describedBy } = props;
  const { commit, readOnly } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const options = schema.enum ?? [];
  const isListed = value === undefined || options.includes(value);
  const choose = async (option: string) =>
    setProblem(await commit(pointer, option === "" ? undefined : (JSON.parse(option) as Json)));
  return (
    <>
      <select
        id={id}
        value={value === undefined ? "" : JSON.stringify(value)}
        disabled={readOnly || schema.readOnly}
        aria-invalid={!isListed || undefined}
        aria-describedby={describedBy}
        onChange={(event) => void choose(event.target.value)}
      >
        {(!required || value === undefined) && (
          <option value="">{different ? DIFFERENT : unsetLabel(schema.default)}</option>
        )}
        {!isListed && value !== undefined && (
          <option value={JSON.stringify(value)}>{String(value)} (unknown)</option>
        )}
        {options.map((option) => (
          <option key={JSON.stringify(option)} value={JSON.stringify(option)}>
            {optionText(option)}
          </option>
        ))}
      </select>
      <Problem text={problem} />
    </>
  );
}

export function BooleanField(props: FieldProps) {
  const { id, pointer, schema, value, different, describedBy } = props;
  const { commit, readOnly } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const unset = value === undefined;
  const on = unset ? schema.default === true && !different : value === true;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = different;
  }, [different]);
  return (
    <>
      <label className="check">
        <input
          id={id}
          ref={box}
          type="checkbox"
          checked={on}
          disabled={readOnly || schema.readOnly}
          aria-describedby={describedBy}
          onChange={(event) => void commit(pointer, event.target.checked).then(setProblem)}
        />
        <span className={unset ? "muted" : undefined}>
          {different ? DIFFERENT : on ? "yes" : "no"}
          {unset && !different && " (default)"}
        </span>
      </label>
      <Problem text={problem} />
    </>
  );
}

function unsetLabel(fallback: Json | undefined): string {
  return fallback === undefined ? "not set" : `default: ${optionText(fallback)}`;
}

function optionText(value: Json): string {
  return value === null ? "nothing" : String(value);
}
