import { useState } from "react";
import type { Json } from "../../session";
import { Code } from "../../ui/code/Code";
import { errorText } from "../../ui/errorText";

interface TextAnswerFormProps {
  label: string;
  start: string;
  language: "json" | "markdown";
  button: string;
  /** Send the text. Returns an error message, or "". */
  send: (text: string) => string;
}

/** An editor with a button. */
export function TextAnswerForm({ label, start, language, button, send }: TextAnswerFormProps) {
  const [text, setText] = useState(start);
  const [problem, setProblem] = useState("");
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        setProblem(send(text));
      }}
    >
      <Code
        label={label}
        value={start}
        language={language}
        placeholder="Write the answer…"
        onChange={setText}
      />
      {problem && (
        <div className="problem" role="alert">
          {problem}
        </div>
      )}
      <div className="row end">
        <button type="submit" className="button primary">
          {button}
        </button>
      </div>
    </form>
  );
}

/** The parsed JSON, or an error message. */
export function parseJson(text: string): { json: Json } | string {
  try {
    return { json: JSON.parse(text) as Json };
  } catch (error) {
    return `This is not JSON: ${errorText(error)}`;
  }
}
