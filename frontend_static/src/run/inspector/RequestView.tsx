import { Braces, Check, Equal, FlaskConical, Terminal, Wrench } from "lucide-react";
import { useState } from "react";
import { onDemand } from "../../ui/onDemand";
import { useRunStore } from "../model/runStore";
import { Disclosure } from "../../ui/Disclosure";
import { Hash } from "../artifacts/Hash";
import { repetitionText } from "../artifacts/promptTurns";
import { duration } from "../../ui/formatTime";
import { curlCommand } from "./curl";
import { MessageView } from "./MessageView";
import {
  figuresOf,
  knownMessages,
  requestOf,
  sourceOf,
  type ModelCall,
  type Source,
} from "./modelCalls";
import { Button } from "../../ui/Button";
import { Mono } from "../../ui/Mono";
import { Pre } from "../../ui/Pre";

const TrialDialog = onDemand("TrialDialog", () => import("../trial/TrialDialog"));

const SOURCES: Readonly<Record<Source, string>> = {
  sent: "",
  unrecorded: "No record of the sent bytes: these are the parts of the request in the log.",
  simulated: "Nothing was sent: a script, a rehearsal or a person answered this.",
};

/**
 * A request to a model: every message, tools, schema and settings. `whole`: messages that the last
 * request had too are shown at once.
 */
export function RequestView({ call, whole }: { call: ModelCall; whole: boolean }) {
  const request = requestOf(call);
  const known = knownMessages(call);
  const [all, setAll] = useState(whole);
  const source = sourceOf(call);
  const hidden = all ? 0 : known;
  return (
    <div className="wire-request" data-request={call.n} data-source={source}>
      <RequestFigures call={call} />
      {source !== "sent" && <p className="help">{SOURCES[source]}</p>}
      {hidden > 0 && (
        <Button kind="quiet small" onClick={() => setAll(true)}>
          Show {hidden === 1 ? "1 message" : `${hidden} messages`} of the last request
        </Button>
      )}
      {request.messages.slice(hidden).map((message, index) => (
        <MessageView
          key={index + hidden}
          message={message}
          isNew={call.before !== null && index + hidden >= known}
        />
      ))}
      {request.messages.length === 0 && <p className="help">It has no messages.</p>}
      <Offered call={call} />
    </div>
  );
}

/** Numbers of a request: messages, tokens, tries; its hash; whether it is a repetition. */
function RequestFigures({ call }: { call: ModelCall }) {
  const { messages, tools, model } = requestOf(call);
  const known = knownMessages(call);
  const last = call.tries.at(-1);
  const figures = figuresOf([call]);
  return (
    <div className="wire-figures small">
      {model && <Mono>{model}</Mono>}
      <span>
        {counted(messages.length, "message")}
        {call.before && known > 0 && `, ${messages.length - known || "none"} new`}
      </span>
      {tools.length > 0 && <span>{counted(tools.length, "tool")}</span>}
      {figures.input > 0 && (
        <span title="Counted by the provider">{figures.input.toLocaleString("en")} tokens in</span>
      )}
      {call.tries.length > 1 && (
        <span data-tries={call.tries.length}>{call.tries.length} tries</span>
      )}
      {call.judge && <span className="badge">judge</span>}
      {call.times > 1 && (
        <span className="badge" data-repeated={call.times}>
          <Equal className="icon" aria-hidden /> {repetitionText(call.times)}
        </span>
      )}
      {last && <Hash hash={last.hash} of="the sent request" label="request" />}
      <SendAgain call={call} />
    </div>
  );
}

function SendAgain({ call }: { call: ModelCall }) {
  const run = useRunStore((state) => state.run?.id);
  const [open, setOpen] = useState(false);
  if (!run) return null;
  return (
    <>
      <Button
        kind="quiet small"
        title="A trial with changes; the run stays as it is"
        onClick={() => setOpen(true)}
      >
        <FlaskConical className="icon" aria-hidden /> Send again…
      </Button>
      {open && <TrialDialog run={run} call={call} close={() => setOpen(false)} />}
    </>
  );
}

/** The tools, the schema of the answer, the settings and the attempts. */
function Offered({ call }: { call: ModelCall }) {
  const { tools, schema, settings } = requestOf(call);
  const set = Object.keys(settings).length;
  return (
    <>
      {tools.length > 0 && (
        <Part title={`Tools offered: ${tools.map((tool) => tool.name).join(", ")}`}>
          {tools.map((tool) => (
            <section key={tool.name} className="wire-tool" data-tool={tool.name}>
              <h4>
                <Wrench className="icon" aria-hidden /> <Mono>{tool.name}</Mono>
              </h4>
              {tool.description && <p className="small">{tool.description}</p>}
              <Pre tabIndex={0}>{pretty(tool.parameters)}</Pre>
            </section>
          ))}
        </Part>
      )}
      {schema !== null && (
        <Part title="Schema of the answer">
          <Pre tabIndex={0}>{pretty(schema)}</Pre>
        </Part>
      )}
      {set > 0 && (
        <Part title={`Settings: ${Object.keys(settings).join(", ")}`}>
          <Pre tabIndex={0}>{pretty(settings)}</Pre>
        </Part>
      )}
      {call.tries.length > 0 && <Tries call={call} />}
    </>
  );
}

function Tries({ call }: { call: ModelCall }) {
  const title = call.tries.length === 1 ? "Sent once" : `Sent ${call.tries.length} times`;
  return (
    <Part title={title} open={call.tries.length > 1}>
      <ol className="wire-tries">
        {call.tries.map((one, index) => (
          <li key={index} data-try={one.status}>
            <span className={one.error ? "level-error" : "level-ok"}>
              {one.status || "no answer"}
            </span>{" "}
            after {duration(one.seconds * 1000)}
            {one.error && <span className="muted"> · {one.error}</span>}
          </li>
        ))}
      </ol>
      <p className="mono small wire-url" translate="no">
        {call.tries.at(-1)?.url}
      </p>
    </Part>
  );
}

function Part({
  title,
  open: opened = false,
  children,
}: {
  title: string;
  open?: boolean;
  children: React.ReactNode;
}) {
  const [open, setOpen] = useState(opened);
  return (
    <Disclosure
      title={
        <span className="truncate" title={title}>
          {title}
        </span>
      }
      open={open}
      onToggle={setOpen}
      className="wire-part"
    >
      {children}
    </Disclosure>
  );
}

/** The body of the request as JSON, and a command that sends it again. */
export function WireJson({ call }: { call: ModelCall }) {
  const last = call.tries.at(-1);
  if (!last)
    return (
      <p className="help">
        {SOURCES[sourceOf(call)]} The event of the request has its parts; see event {call.n}.
      </p>
    );
  return (
    <>
      <p className="row">
        <CopyButton text={pretty(last.body)} icon={Braces} label="Copy as JSON" />
        <CopyButton
          text={curlCommand(last)}
          icon={Terminal}
          label="Copy as curl"
          help="The key is not part of it: set API_KEY in the shell"
        />
      </p>
      <Pre tabIndex={0} data-wire={call.n}>
        {pretty(last.body)}
      </Pre>
    </>
  );
}

function CopyButton({
  text,
  label,
  help,
  icon: Icon,
}: {
  text: string;
  label: string;
  help?: string;
  icon: typeof Braces;
}) {
  const [copied, setCopied] = useState(false);
  const copy = () =>
    void navigator.clipboard?.writeText(text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 1500);
    });
  const Shown = copied ? Check : Icon;
  return (
    <Button kind="small" title={help} onClick={copy}>
      <Shown className="icon" aria-hidden /> {label}
    </Button>
  );
}

const pretty = (value: unknown): string => JSON.stringify(value ?? null, null, 2);

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? "" : "s"}`;
