import { useId } from "react";
import type { Json } from "../../session";
import type { AnswerField } from "./answerOptions";
import { submitOnCtrlEnter } from "../../ui/submitOnCtrlEnter";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";

/** A form for an answer of a few plain values. Empty fields are left out. */
export function AnswerFieldsForm({
  fields,
  autoFocus,
  place,
  send,
}: {
  fields: readonly AnswerField[];
  autoFocus: boolean;
  place: string;
  send: (value: Json) => Promise<string>;
}) {
  const [values, setValues, drop] = useKept<Readonly<Record<string, string>>>(
    place,
    "Answer",
    () => ({}),
  );
  const id = useId();
  const set = (name: string, value: string) => setValues((now) => ({ ...now, [name]: value }));
  const entered = Object.entries(values).filter(([, value]) => value.trim());
  return (
    <form
      className="answer-fields"
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event) => {
        event.preventDefault();
        void send(Object.fromEntries(entered)).then((wrong) => wrong || drop());
      }}
    >
      {fields.map(({ name, title, options }, index) => (
        <div className={options ? "field" : "field grow"} key={name}>
          <label className="field-label" htmlFor={`${id}-${name}`}>
            {title}
          </label>
          {options ? (
            <select
              id={`${id}-${name}`}
              value={values[name] ?? ""}
              autoFocus={autoFocus && index === 0}
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
              autoFocus={autoFocus && index === 0}
              value={values[name] ?? ""}
              onChange={(event) => set(name, event.target.value)}
            />
          )}
        </div>
      ))}
      <Button type="submit" kind="primary" disabled={entered.length === 0}>
        Send the answer
      </Button>
    </form>
  );
}
