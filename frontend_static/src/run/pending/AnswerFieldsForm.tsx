import { useId, useState } from "react";
import type { Json } from "../../session";
import type { AnswerField } from "./answerOptions";

/** A form for an answer of a few plain values. Empty fields are left out. */
export function AnswerFieldsForm({
  fields,
  send,
}: {
  fields: readonly AnswerField[];
  send: (value: Json) => void;
}) {
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const id = useId();
  const set = (name: string, value: string) => setValues((now) => ({ ...now, [name]: value }));
  const entered = Object.entries(values).filter(([, value]) => value.trim());
  return (
    <form
      className="answer-fields"
      onSubmit={(event) => {
        event.preventDefault();
        send(Object.fromEntries(entered));
      }}
    >
      {fields.map(({ name, title, options }) => (
        <div className={options ? "field" : "field grow"} key={name}>
          <label className="field-label" htmlFor={`${id}-${name}`}>
            {title}
          </label>
          {options ? (
            <select
              id={`${id}-${name}`}
              value={values[name] ?? ""}
              onChange={(event) => set(name, event.target.value)}
            >
              <option value="">—</option>
              {options.map((option) => (
                <option key={option}>{option}</option>
              ))}
            </select>
          ) : (
            <textarea
              id={`${id}-${name}`}
              className="input"
              rows={2}
              value={values[name] ?? ""}
              onChange={(event) => set(name, event.target.value)}
            />
          )}
        </div>
      ))}
      <button type="submit" className="button primary" disabled={entered.length === 0}>
        Send the answer
      </button>
    </form>
  );
}
