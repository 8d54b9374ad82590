import { CircleAlert, CircleCheck, Hand, Info, MessagesSquare } from "lucide-react";
import type { ReactNode } from "react";
import { CallRow } from "../agents/CallRow";
import { eventLine, type Tone } from "../log/eventLine";
import { actOf } from "../log/people";
import { asksForTool, text, type RunEvent } from "../model/events";
import { runStore } from "../model/runStore";
import type { ModelCall } from "./modelCalls";
import { ReplyView } from "./ReplyView";
import { RequestView } from "./RequestView";
import type { Visit } from "./visits";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";

/** Events that the entries of other events contain. */
const PARTS: ReadonlySet<string> = new Set([
  "state.entered",
  "state.left",
  "prompt.logged",
  "model.replied",
  "transition.taken",
  "tool.called",
  "tool.returned",
  "run.waiting",
  "run.resumed",
  "role.memory",
  "role.gate",
]);

/** The events of a visit, in order: requests, answers, tools, checks, people. */
export function Conversation({ visit, calls }: { visit: Visit; calls: readonly ModelCall[] }) {
  const byEvent = new Map(calls.map((call) => [call.n, call]));
  const results = resultsOf(visit.events);
  const bookkeeping: RunEvent[] = [];
  const entries = visit.events.flatMap((event) => {
    const call = byEvent.get(event.n);
    if (call)
      return (
        <Exchange
          key={event.n}
          call={call}
          first={!call.before || !calls.includes(call.before)}
          fault={visit.faults.get(call.key) ?? ""}
        />
      );
    if (asksForTool(event))
      return (
        <ToolEntry
          key={event.n}
          called={event}
          returned={results.get(event.n)}
          fault={visit.faults.get(text(event, "key")) ?? ""}
        />
      );
    const sent = event.type === "transition.taken" && actOf(event) !== null;
    if ((PARTS.has(event.type) && !sent) || (event.type === "run.paused" && !text(event, "reason")))
      return [];
    if (isBookkeeping(event)) {
      bookkeeping.push(event);
      return [];
    }
    return <Note key={event.n} event={event} />;
  });
  return (
    <div className="wire-visit scroll" tabIndex={0} role="log" aria-label="Events of the visit">
      {entries}
      {entries.length === 0 && (
        <Empty Icon={MessagesSquare} title="No requests in this visit">
          Requests, answers, tool calls and checks of the state appear here.
        </Empty>
      )}
      {visit.exit && (
        <p className="wire-note" data-exit={visit.exit.targets.join(" ")}>
          Left{" "}
          {visit.exit.label && (
            <>
              by <Mono>{visit.exit.label}</Mono>
            </>
          )}{" "}
          for <Mono>{visit.exit.targets.join(", ")}</Mono>
        </p>
      )}
      {bookkeeping.length > 0 && (
        <details className="wire-bookkeeping">
          <summary className="muted small">
            {bookkeeping.length === 1
              ? "1 bookkeeping event"
              : `${bookkeeping.length} bookkeeping events`}
          </summary>
          {bookkeeping.map((event) => (
            <Note key={event.n} event={event} />
          ))}
        </details>
      )}
    </div>
  );
}

/** Events that the log leaves out as bookkeeping. A command is part of the conversation. */
function isBookkeeping(event: RunEvent): boolean {
  return event.type !== "command.asked" && eventLine(event).tone === "quiet";
}

/**
 * A request and its answer. `first`: the visit has no request before it, so all messages are shown.
 * `fault`: the reason for which it cannot be answered now, "" for none.
 */
function Exchange({ call, first, fault }: { call: ModelCall; first: boolean; fault: string }) {
  return (
    <section className="wire-exchange" aria-label={`Request of event ${call.n}`}>
      <EventLink n={call.n}>Request</EventLink>
      <RequestView call={call} whole={first} />
      <ReplyView call={call} fault={fault} />
    </section>
  );
}

/** Event number of a call → its result. A call of a model's own turn has no key. */
function resultsOf(events: readonly RunEvent[]): Map<number, RunEvent> {
  const results = new Map<number, RunEvent>();
  const open = events.filter(asksForTool);
  for (const event of events) {
    if (event.type !== "tool.returned") continue;
    const index = open.findIndex(
      (call) =>
        call.n < event.n &&
        (text(event, "key")
          ? text(call, "key") === text(event, "key")
          : text(call, "name") === text(event, "name")),
    );
    const [call] = index < 0 ? [] : open.splice(index, 1);
    if (call) results.set(call.n, event);
  }
  return results;
}

function ToolEntry({
  called,
  returned,
  fault,
}: {
  called: RunEvent;
  returned: RunEvent | undefined;
  fault: string;
}) {
  const error = returned ? text(returned, "error") : fault;
  const act = returned && actOf(returned);
  return (
    <CallRow
      call={{
        n: called.n,
        tool: text(called, "name"),
        args: called.arguments ?? {},
        ok: returned !== undefined && !error,
        output: returned ? text(returned, "result") : "",
        error: error || (returned ? "" : "No result yet."),
      }}
      person={act ? { words: act.words, tone: eventLine(returned).tone } : undefined}
      pending={returned === undefined && !fault}
    />
  );
}

const ICONS: Readonly<Record<Tone, typeof Info>> = {
  plain: Info,
  quiet: Info,
  good: CircleCheck,
  bad: CircleAlert,
  wait: Hand,
};

function Note({ event }: { event: RunEvent }) {
  const { what, detail, tone } = eventLine(event);
  const Icon = ICONS[tone];
  return (
    <p className={`wire-note ${tone}`} data-note={event.type}>
      <Icon className="icon" aria-hidden />
      <EventLink n={event.n}>{what}</EventLink> <span>{detail}</span>
    </p>
  );
}

function EventLink({ n, children }: { n: number; children: ReactNode }) {
  return (
    <Button kind="link small" title={`To event ${n}`} onClick={() => runStore.seek(n)}>
      {children}
    </Button>
  );
}
