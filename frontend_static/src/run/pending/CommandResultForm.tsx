import { useId, useState } from "react";
import type { Json } from "../../session";

/** The result of a command that a person ran elsewhere: its exit code and its output. */
export function CommandResultForm({ send }: { send: (result: Json) => void }) {
  const [exit, setExit] = useState("0");
  const [output, setOutput] = useState("");
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
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) send(result(code !== 0));
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
            onChange={(event) => setExit(event.target.value)}
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
            onChange={(event) => setOutput(event.target.value)}
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
        <button type="submit" className="button primary" disabled={!valid}>
          {code === 0 ? "Report success" : "Report failure"}
        </button>
      </div>
    </form>
  );
}
