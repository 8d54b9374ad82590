import { useState } from "react";
import type { Json } from "../../session";
import { Code } from "../../ui/code/Code";
import { errorText } from "../../ui/errorText";
import { submitOnCtrlEnter } from "../../ui/submitOnCtrlEnter";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";

interface TextAnswerFormProps {
  label: string;
  start: string;
  language: "json" | "markdown";
  button: string;
  autoFocus?: boolean;
  /** The question and kind of answer for which the text is kept until it is sent. */
  place: string;
  /** Send the text. Resolves with an error message, or "". */
  send: (text: string) => string | Promise<string>;
}

/** An editor with a button. */
export function TextAnswerForm(props: TextAnswerFormProps) {
  const { label, start, language, button, autoFocus, place, send } = props;
  const [text, setText, drop] = useKept(place, label, () => start);
  const [draft] = useState(text === start ? undefined : text);
  const [problem, setProblem] = useState("");
  return (
    <form
      className="stack"
      onKeyDown={submitOnCtrlEnter}
      onSubmit={(event) => {
        event.preventDefault();
        void Promise.resolve(send(text)).then((wrong) => {
          setProblem(wrong);
          if (!wrong) drop();
        });
      }}
    >
      <Code
        label={label}
        value={start}
        draft={draft}
        language={language}
        placeholder={`Write the ${label.toLowerCase()}…`}
        autoFocus={autoFocus}
        onChange={setText}
      />
      {problem && (
        <div className="problem" role="alert">
          {problem}
        </div>
      )}
      <div className="row end">
        <Button type="submit" kind="primary">
          {button}
        </Button>
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
