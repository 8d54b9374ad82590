import { useId } from "react";
import type { Json } from "../../session";
import { submitOnCtrlEnter } from "../../ui/submitOnCtrlEnter";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";

/** The result of a command that a person ran elsewhere: its exit code and its output. */
export function CommandResultForm({
  place,
  send,
}: {
  place: string;
  send: (result: Json) => Promise<string>;
}) {
  const [{ exit, output }, setTyped, drop] = useKept(place, "Result of the command", () => ({
    exit: "0",
    output: "",
  }));
  const id = useId();
  const code = Number(exit);
  const valid = exit.trim() !== "" && Number.isInteger(code) && code >= 0 && code <= 255;
  const result = (failed: boolean): Json => ({
    exit: code,
    stdout: failed ? "" : output,
    stderr: failed ? output : "",
  });
  return (
    <form
      className="stack command-result"
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) void send(result(code !== 0)).then((wrong) => wrong || drop());
      }}
    >
      <div className="row wrap">
        <div className="field">
          <label className="field-label" htmlFor={`${id}-exit`}>
            Exit code
          </label>
          <input
            id={`${id}-exit`}
            className="input"
            inputMode="numeric"
            size={5}
            value={exit}
            autoFocus
            aria-invalid={!valid}
            onChange={(event) => setTyped({ exit: event.target.value, output })}
          />
        </div>
        <div className="field grow">
          <label className="field-label" htmlFor={`${id}-output`}>
            Output
          </label>
          <textarea
            id={`${id}-output`}
            className="input mono"
            rows={3}
            value={output}
            onChange={(event) => setTyped({ exit, output: event.target.value })}
          />
        </div>
      </div>
      {!valid && (
        <div className="problem" role="alert">
          An exit code is a number from 0 to 255.
        </div>
      )}
      <div className="row end">
        <span className="muted">The log records that you reported it.</span>
        <Button type="submit" kind="primary" disabled={!valid}>
          {code === 0 ? "Report success" : "Report failure"}
        </Button>
      </div>
    </form>
  );
}
