import { Brain, MessageSquareText } from "lucide-react";
import { text } from "../model/events";
import { useRunStore } from "../model/runStore";
import { costText, duration } from "../../ui/formatTime";
import { CallText } from "./MessageView";
import { figuresOf, type ModelCall } from "./modelCalls";

interface RecordedCall {
  id?: string;
  name?: string;
  arguments?: unknown;
  /** The arguments as the model wrote them, if they are not a JSON object. */
  unread?: string;
}

/** The answer to a request: reasoning, text, value and calls; as far as it is streamed. */
export function ReplyView({ call }: { call: ModelCall }) {
  const streamed = useRunStore((state) => state.partialOutput[call.key] ?? "");
  const { reply } = call;
  if (!reply)
    return streamed ? (
      <div className="wire-reply" data-reply="streaming">
        <pre className="streaming">{streamed}</pre>
      </div>
    ) : (
      <p className="help">No answer yet.</p>
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
        {text(reply, "by") && <span className="muted">by {text(reply, "by")}</span>}
        <span className="spacer" />
        <ReplyFigures call={call} />
      </header>
      {reasoning && (
        <details>
          <summary>
            <Brain className="icon" aria-hidden /> Reasoning
          </summary>
          <pre tabIndex={0} data-reasoning>
            {reasoning}
          </pre>
        </details>
      )}
      {warnings.map((warning) => (
        <p key={warning} className="notice warning" data-reply-warning>
          {warning}
        </p>
      ))}
      {error && <p className="notice error">{error}</p>}
      {text(reply, "text") && <pre tabIndex={0}>{text(reply, "text")}</pre>}
      {structured !== null && (
        <pre tabIndex={0} data-structured>
          {JSON.stringify(structured, null, 2)}
        </pre>
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
