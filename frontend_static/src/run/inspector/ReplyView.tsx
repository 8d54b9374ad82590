import { Brain, CircleAlert, CircleCheck, MessageSquareText } from "lucide-react";
import { actOf } from "../log/people";
import { isFinished, text } from "../model/events";
import { useRunStore } from "../model/runStore";
import { costText, duration } from "../../ui/formatTime";
import { CallText } from "./MessageView";
import { figuresOf, schemaOf, type ModelCall } from "./modelCalls";
import { schemaCheck } from "./schemaProblems";
import { Pre } from "../../ui/Pre";

interface RecordedCall {
  id?: string;
  name?: string;
  arguments?: unknown;
  /** The arguments as the model wrote them, if they are not a JSON object. */
  unread?: string;
}

/**
 * The answer to a request: reasoning, text, value and calls; as far as it is streamed. `fault`: the
 * reason for which there is none and the run paused, "" for none.
 */
export function ReplyView({ call, fault }: { call: ModelCall; fault: string }) {
  const streamed = useRunStore((state) => state.partialOutput[call.key] ?? "");
  const ended = useRunStore((state) => isFinished(state.view.status));
  const { reply } = call;
  const act = reply && actOf(reply);
  if (!reply && fault)
    return (
      <p className="notice error" role="alert" data-fault>
        No answer, so the run paused. {fault}
      </p>
    );
  if (!reply)
    return streamed ? (
      <div className="wire-reply" data-reply="streaming">
        <Pre className="streaming">{streamed}</Pre>
      </div>
    ) : (
      <p className="help">{ended ? "The run ended without this answer." : "No answer yet."}</p>
    );
  const calls = (Array.isArray(reply.tool_calls) ? reply.tool_calls : []) as RecordedCall[];
  const error = text(reply, "error");
  const reasoning = text(reply, "reasoning");
  const warnings = (Array.isArray(reply.warnings) ? reply.warnings : []) as string[];
  const structured = reply.structured ?? null;
  return (
    <div className="wire-reply" data-reply={call.n}>
      <header>
        <MessageSquareText className="icon" aria-hidden />
        <span className="wire-role">answer</span>
        {act && <span className="muted">{act.words}</span>}
        <span className="spacer" />
        <ReplyFigures call={call} />
      </header>
      {reasoning && (
        <details>
          <summary className="muted small">
            <Brain className="icon" aria-hidden /> Reasoning
          </summary>
          <Pre tabIndex={0} data-reasoning>
            {reasoning}
          </Pre>
        </details>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="notice warning" data-reply-warning>
          {warning}
        </p>
      ))}
      {error && <p className="notice error">{error}</p>}
      {text(reply, "text") && <Pre tabIndex={0}>{text(reply, "text")}</Pre>}
      <SchemaMark call={call} />
      {structured !== null && (
        <Pre tabIndex={0} data-structured>
          {JSON.stringify(structured, null, 2)}
        </Pre>
      )}
      {calls.map((one, index) => (
        <CallText
          key={one.id || index}
          call={{
            id: one.id ?? "",
            name: one.name ?? "",
            arguments: one.unread || JSON.stringify(one.arguments ?? {}, null, 2),
          }}
        />
      ))}
    </div>
  );
}

/** A mark for an answer that fits the schema of its request or not; nothing without a schema. */
function SchemaMark({ call: { asked, reply } }: { call: ModelCall }) {
  const schema = schemaOf(asked);
  if (!reply || schema === null || text(reply, "error")) return null;
  const value = reply.structured ?? null;
  if (value === null && Array.isArray(reply.tool_calls) && reply.tool_calls.length > 0) return null;
  const { problems, unchecked } =
    value === null
      ? { problems: ["the answer is not JSON"], unchecked: [] }
      : schemaCheck(schema, value);
  const rest = unchecked.length > 0 ? `Not checked here: ${unchecked.join(", ")}` : undefined;
  return problems.length === 0 ? (
    <p className="wire-schema level-ok" data-schema="valid" title={rest}>
      <CircleCheck className="icon" aria-hidden /> Fits its schema
    </p>
  ) : (
    <p className="wire-schema level-error" data-schema="invalid" title={problems.join("\n")}>
      <CircleAlert className="icon" aria-hidden /> Does not fit its schema: {problems[0]}
      {problems.length > 1 && ` and ${problems.length - 1} more`}
    </p>
  );
}

function ReplyFigures({ call }: { call: ModelCall }) {
  const { output, cost, seconds } = figuresOf([call]);
  return (
    <span className="wire-figures small muted">
      {output > 0 && <span>{output.toLocaleString("en")} tokens out</span>}
      {cost > 0 && <span>{costText(cost)}</span>}
      <span>{duration(seconds * 1000)}</span>
    </span>
  );
}
