import { useState } from "react";
import { keyOf } from "../../ui/keys";
import { useAsked } from "../../ui/useAsked";

interface Props {
  label: string;
  /** The name in the question before the page is left. */
  asked: string;
  placeholder: string;
  /** Called when the field is left, with "" if nothing was typed. */
  add: (text: string) => Promise<void>;
  cancel: () => void;
}

/** A field for the name of something new. */
export function NewEntryField({ label, asked, placeholder, add, cancel }: Props) {
  const [typed, setTyped] = useState(false);
  useAsked(asked, typed);
  return (
    <input
      className="input mono"
      autoFocus
      onChange={(event) => setTyped(event.target.value !== "")}
      aria-label={label}
      placeholder={placeholder}
      spellCheck={false}
      onBlur={(event) => void add(event.target.value.trim())}
      onKeyDown={(event) => {
        if (keyOf(event) === "Enter") event.currentTarget.blur();
        if (keyOf(event) === "Escape") cancel();
      }}
    />
  );
}
