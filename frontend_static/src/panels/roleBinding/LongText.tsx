import { useId } from "react";
import { keyOf, sendsForm } from "../../ui/keys";
import { Problem } from "../form/Problem";
import { useDraft } from "../form/useDraft";

interface Props {
  label: string;
  help: string;
  /** The place in the pack, unique there. */
  place: string;
  value: string;
  commit: (text: string) => Promise<string | null>;
}

/** A text area whose text is stored while it is typed. */
export function LongText({ label, help, place, value, commit }: Props) {
  const field = useId();
  const { draft, problem, clash, inputProps } = useDraft({
    place,
    label,
    saved: value,
    apply: (text) => commit(text.trim()),
    live: true,
  });
  const { onKeyDown, ...props } = inputProps();
  return (
    <div className="field">
      <label htmlFor={field}>{label}</label>
      <textarea
        id={field}
        rows={draft.includes("\n") ? 4 : 2}
        aria-describedby={`${field}-help`}
        {...props}
        onKeyDown={(event) => {
          if (sendsForm(event)) props.onBlur();
          else if (keyOf(event) !== "Enter") onKeyDown(event);
        }}
      />
      <Problem text={problem} clash={clash} />
      <div className="help" id={`${field}-help`}>
        {help}
      </div>
    </div>
  );
}
