import { useId } from "react";
import { useDraft } from "../form/useDraft";

interface Props {
  label: string;
  help: string;
  value: string;
  commit: (text: string) => void;
}

/** A text area that saves on blur and on Ctrl+Enter. */
export function LongText({ label, help, value, commit }: Props) {
  const field = useId();
  const { draft, type, reset, takeChange } = useDraft(value);
  const finish = () => {
    const text = takeChange();
    if (text !== null && text.trim() !== value) commit(text.trim());
  };
  return (
    <div className="field">
      <label htmlFor={field}>{label}</label>
      <textarea
        id={field}
        rows={draft.includes("\n") ? 4 : 2}
        value={draft}
        aria-describedby={`${field}-help`}
        onChange={(event) => type(event.target.value)}
        onBlur={finish}
        onKeyDown={(event) => {
          if (event.key === "Escape") reset();
          else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) finish();
          else return;
          event.preventDefault();
        }}
      />
      <div className="help" id={`${field}-help`}>
        {help}
      </div>
    </div>
  );
}
