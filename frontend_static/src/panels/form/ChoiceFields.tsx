/** Fields with few possible values: booleans and enums. */

import { useState } from "react";
import type { Json } from "../../session";
import { useForm } from "./formContext";
import type { FieldProps } from "./Field";
import { Problem } from "./Problem";

export function EnumField({ id, pointer, schema, value, required, describedBy }: FieldProps) {
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
          <option value="">{unsetLabel(schema.default)}</option>
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

export function BooleanField({ id, pointer, schema, value, describedBy }: FieldProps) {
  const { commit, readOnly } = useForm();
  const [problem, setProblem] = useState<string | null>(null);
  const unset = value === undefined;
  const on = unset ? schema.default === true : value === true;
  return (
    <>
      <label className="check">
        <input
          id={id}
          type="checkbox"
          checked={on}
          disabled={readOnly || schema.readOnly}
          aria-describedby={describedBy}
          onChange={(event) => void commit(pointer, event.target.checked).then(setProblem)}
        />
        <span className={unset ? "muted" : undefined}>
          {on ? "yes" : "no"}
          {unset && " (default)"}
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
