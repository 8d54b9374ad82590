import { CornerDownRight, Wrench } from "lucide-react";
import { estimatedTokens } from "../../ui/tokenEstimate";
import type { WireCall, WireMessage } from "./wireRequest";
import { Mono } from "../../ui/Mono";
import { Pre } from "../../ui/Pre";

/** One message of a request: its role and exactly its text and calls. */
export function MessageView({ message, isNew }: { message: WireMessage; isNew: boolean }) {
  const size = estimatedTokens(
    message.text + message.calls.map((call) => call.name + call.arguments).join(""),
  );
  return (
    <article
      className={`wire-message ${message.role}`}
      data-message={message.role}
      data-new={isNew ? "true" : undefined}
    >
      <header>
        <span className="wire-role">{message.role}</span>
        {message.answers && (
          <Mono kind="muted truncate" title="The call that this answers">
            <CornerDownRight className="icon" aria-hidden /> {message.answers}
          </Mono>
        )}
        <span className="spacer" />
        {isNew && <span className="badge">new</span>}
        <span className="muted" title="Estimated: four characters each">
          ≈ {size.toLocaleString("en")} tokens
        </span>
      </header>
      {message.text && (
        <Pre tabIndex={0} data-message-text>
          {message.text}
        </Pre>
      )}
      {message.calls.map((call, index) => (
        <CallText key={call.id || index} call={call} />
      ))}
    </article>
  );
}

/** A tool call as the model wrote it. */
export function CallText({ call }: { call: WireCall }) {
  return (
    <div className="wire-call" data-wire-call={call.name}>
      <p className="small">
        <Wrench className="icon" aria-hidden /> <Mono>{call.name}</Mono>{" "}
        {call.id && <Mono kind="muted">{call.id}</Mono>}
      </p>
      <Pre tabIndex={0}>{call.arguments}</Pre>
    </div>
  );
}
