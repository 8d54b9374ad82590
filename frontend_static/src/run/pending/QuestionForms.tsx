import { useState } from "react";

/** Deny with a reason, which the requester receives. */
export function DenyForm({ deny }: { deny: (reason: string) => void }) {
  return (
    <LineForm
      label="Reason"
      placeholder="Reason, sent to the run"
      button="Deny"
      grave
      send={deny}
    />
  );
}

/** Ask another person to answer; no name withdraws the request. */
export function PassForm({ passedTo, pass }: { passedTo: string; pass: (name: string) => void }) {
  return (
    <LineForm
      label="Person"
      placeholder="Name of a person"
      button="Pass"
      initial={passedTo}
      send={pass}
    />
  );
}

interface Props {
  label: string;
  placeholder: string;
  button: string;
  initial?: string;
  grave?: boolean;
  send: (text: string) => void;
}

function LineForm({ label, placeholder, button, initial = "", grave = false, send }: Props) {
  const [text, setText] = useState(initial);
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        send(text.trim());
      }}
    >
      <input
        className="input grow"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        autoFocus
        autoComplete="off"
        onChange={(event) => setText(event.target.value)}
      />
      <button type="submit" className={`button ${grave ? "danger" : ""}`}>
        {button}
      </button>
    </form>
  );
}
