import { submitOnCtrlEnter } from "../../ui/submitOnCtrlEnter";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";

/** Deny with a reason, which the requester receives. */
export function DenyForm({
  place,
  button,
  deny,
}: {
  place: string;
  button: string;
  deny: (reason: string) => void | Promise<unknown>;
}) {
  return (
    <LineForm
      place={place}
      label="Reason"
      placeholder="Reason, sent to the run"
      button={button}
      grave
      send={deny}
    />
  );
}

/** Ask another person to answer; no name withdraws the request. */
export function PassForm({
  place,
  passedTo,
  pass,
}: {
  place: string;
  passedTo: string;
  pass: (name: string) => void;
}) {
  return (
    <LineForm
      place={place}
      label="Person"
      placeholder="Name of a person"
      button="Pass"
      initial={passedTo}
      send={pass}
    />
  );
}

interface Props {
  place: string;
  label: string;
  placeholder: string;
  button: string;
  initial?: string;
  grave?: boolean;
  /** Resolves with an error message if it was not sent. */
  send: (text: string) => unknown;
}

function LineForm(props: Props) {
  const { place, label, placeholder, button, initial = "", grave = false, send } = props;
  const [text, setText, drop] = useKept(place, label, () => initial);
  return (
    <form
      className="row"
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event) => {
        event.preventDefault();
        void Promise.resolve(send(text.trim())).then((wrong) => wrong || drop());
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
      <Button type="submit" kind={`${grave ? "danger" : ""}`}>
        {button}
      </Button>
    </form>
  );
}
