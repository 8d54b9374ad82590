import { useId, useState } from "react";
import { keyOf } from "./keys";
import { useAsked } from "./useAsked";

export interface ApprovalLimit {
  hours: number;
  outcome: "deny" | "approve" | "end";
}

const OUTCOMES = [
  ["deny", "Deny it"],
  ["approve", "Approve it"],
  ["end", "End the run"],
] as const;
const FIRST_HOURS = 24;

interface Props {
  value: ApprovalLimit | null;
  /** The choice without an own limit, for example "As for the pack". */
  otherwise: string;
  change: (limit: ApprovalLimit | null) => void;
}

/** The time limit of questions to people: an outcome and the hours before it. 0 hours: no limit. */
export function ApprovalLimitField({ value, otherwise, change }: Props) {
  const field = useId();
  const choice = value === null ? "" : value.hours === 0 ? "never" : value.outcome;
  const choose = (chosen: string) => {
    if (chosen === "") return change(null);
    if (chosen === "never") return change({ hours: 0, outcome: "deny" });
    change({ hours: value?.hours || FIRST_HOURS, outcome: chosen as ApprovalLimit["outcome"] });
  };
  return (
    <div className="field">
      <label htmlFor={field}>Without an answer of a person</label>
      <div className="row tight">
        <select id={field} value={choice} onChange={(event) => choose(event.target.value)}>
          <option value="">{otherwise}</option>
          <option value="never">Wait</option>
          {OUTCOMES.map(([outcome, title]) => (
            <option key={outcome} value={outcome}>
              {title}
            </option>
          ))}
        </select>
        {value !== null && value.hours > 0 && (
          <Hours
            key={value.hours}
            value={value.hours}
            commit={(hours) => change({ ...value, hours })}
          />
        )}
      </div>
      {choice === "approve" && (
        <div className="help">Commands and calls of tools are never approved by time.</div>
      )}
    </div>
  );
}

function Hours({ value, commit }: { value: number; commit: (hours: number) => void }) {
  const [text, setText] = useState(String(value));
  const hours = Number(text);
  useAsked("Hours", text !== String(value));
  const valid = text.trim() !== "" && hours > 0 && hours <= 8784;
  return (
    <label className="row tight">
      after
      <input
        type="number"
        aria-label="Hours"
        min={0}
        step="any"
        value={text}
        aria-invalid={!valid}
        onChange={(event) => setText(event.target.value)}
        onBlur={() => valid && hours !== value && commit(hours)}
        onKeyDown={(event) => {
          if (keyOf(event) === "Enter") event.currentTarget.blur();
        }}
      />
      hours
    </label>
  );
}
