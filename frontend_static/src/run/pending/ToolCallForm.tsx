import { useId, useState } from "react";
import type { Json } from "../../session";
import type { Tool } from "./answerOptions";
import { missingText, type Draft } from "./draft";
import { isMap, minimalValue } from "./schemaValues";
import { parseJson, TextAnswerForm } from "./TextAnswerForm";

/** A tool call as the answer for a model. `draft`: the call of a choice, with texts to write. */
export function ToolCallForm({
  tools,
  draft,
  place,
  send,
}: {
  tools: readonly Tool[];
  place: string;
  draft: Extract<Draft, { kind: "call" }> | null;
  send: (call: { name: string; arguments: Json }) => Promise<string>;
}) {
  const [name, setName] = useState(draft?.name ?? tools[0]?.name ?? "");
  const id = useId();
  const tool = tools.find((one) => one.name === name);
  const drafted = draft?.name === name ? draft : null;
  const start = drafted ? drafted.arguments : minimalValue(tool?.parameters ?? {});
  return (
    <div className="stack">
      <div className="field">
        <label className="field-label" htmlFor={id}>
          Tool
        </label>
        <select id={id} value={name} onChange={(event) => setName(event.target.value)}>
          {tools.map((one) => (
            <option key={one.name}>{one.name}</option>
          ))}
        </select>
      </div>
      <TextAnswerForm
        key={name}
        label={`Arguments of ${name}`}
        start={JSON.stringify(start ?? {}, null, 2)}
        language="json"
        button="Send the call"
        place={`${place} ${name}`}
        autoFocus
        send={(text) => {
          const value = parseJson(text);
          if (typeof value === "string") return value;
          if (value.json === null || !isMap(value.json)) return "Arguments are a JSON object.";
          const missing = missingText(value.json, drafted?.texts ?? []);
          if (missing) return `Write a text for ${missing}.`;
          return send({ name, arguments: value.json });
        }}
      />
    </div>
  );
}
