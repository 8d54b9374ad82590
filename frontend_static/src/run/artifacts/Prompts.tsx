import { ChevronUp, Equal, MessageSquareText } from "lucide-react";
import { useMemo, useState } from "react";
import { modelCalls, type ModelCall } from "../inspector/modelCalls";
import { RequestView, WireJson } from "../inspector/RequestView";
import type { Visit } from "../inspector/visits";
import { text, type RunEvent } from "../model/events";
import { useVisibleEvents } from "../model/runStore";
import { Hash } from "./Hash";
import { PromptBlocks } from "./PromptBlocks";
import { PromptChanges } from "./PromptChanges";
import { promptParts, repetitionText } from "./promptTurns";
import { Mono } from "../../ui/Mono";
import { Button } from "../../ui/Button";
import { Empty } from "../../ui/Empty";

const VIEWS = [
  { id: "whole", title: "Whole prompt", label: "Whole prompt" },
  { id: "changes", title: "Changes", label: "Changes since the last turn" },
  { id: "json", title: "JSON", label: "JSON" },
] as const;

type View = (typeof VIEWS)[number]["id"];

/**
 * The requests to models up to the shown event: every message as the model received it, compared
 * with the previous request of its state. `state` and `within`: only those of a state or a visit.
 */
export function Prompts({ state = "", within }: { state?: string; within?: Visit | undefined }) {
  const log = useVisibleEvents();
  const [chosenEvent, setChosenEvent] = useState<number | null>(null);
  const [view, setView] = useState<View>("whole");
  const sent = useMemo(() => requests(log, state, within), [log, state, within]);
  const index = sent.findIndex((turn) => turn.call.n === chosenEvent);
  const turn = sent[index] ?? sent.at(-1);
  if (!turn)
    return (
      <Empty Icon={MessageSquareText} title="No prompt was sent yet">
        Each prompt appears here as it is sent, with every placeholder filled in.
      </Empty>
    );
  return (
    <div className="split">
      <ul className="plain picker" aria-label="Prompts sent">
        {sent.map((one) => (
          <Choice
            key={one.call.n}
            call={one.call}
            selected={one === turn}
            choose={setChosenEvent}
          />
        ))}
      </ul>
      <section className="prompt" aria-label="Prompt">
        <Head turn={turn} view={view} show={setView} go={setChosenEvent} />
        <div className="split-text" tabIndex={0} aria-label="Text of the prompt">
          <Body key={turn.call.n} call={turn.call} view={view} go={setChosenEvent} />
        </div>
      </section>
    </div>
  );
}

interface Turn {
  call: ModelCall;
  number: number;
}

function requests(log: readonly RunEvent[], state: string, within: Visit | undefined): Turn[] {
  const counts = new Map<string, number>();
  const numbers = within && new Set(within.events.map((event) => event.n));
  return modelCalls(log).flatMap((call) => {
    const turn = call.prompt?.turn;
    const number = typeof turn === "number" ? turn : (counts.get(call.state) ?? 0) + 1;
    counts.set(call.state, number);
    const shown = (!state || call.state === state) && (!numbers || numbers.has(call.n));
    return shown ? { call, number } : [];
  });
}

function Choice({
  call,
  selected,
  choose,
}: {
  call: ModelCall;
  selected: boolean;
  choose: (n: number) => void;
}) {
  return (
    <li>
      <button type="button" aria-current={selected || undefined} onClick={() => choose(call.n)}>
        <Mono kind="muted">{call.n}</Mono> <Mono kind="truncate">{call.state}</Mono>
        {call.times > 1 && (
          <Equal className="icon muted" role="img" aria-label="same as last turn" />
        )}
      </button>
    </li>
  );
}

interface HeadProps {
  turn: Turn;
  view: View;
  show: (view: View) => void;
  go: (n: number) => void;
}

function Head({ turn: { call, number }, view, show, go }: HeadProps) {
  const { before, prompt, times } = call;
  const kind = prompt ? text(prompt, "kind") : "";
  const hash = prompt ? text(prompt, "hash") : "";
  return (
    <div className="toolbar tight prompt-head">
      <span className="segments" role="group" aria-label="Prompt view">
        {VIEWS.map((one) => (
          <Button
            key={one.id}
            kind="small"
            aria-label={one.label}
            title={one.label}
            aria-pressed={one.id === view}
            onClick={() => show(one.id)}
          >
            {one.title}
          </Button>
        ))}
      </span>
      <span className="small">
        turn {number} of <Mono>{call.state}</Mono>
      </span>
      {kind && (
        <span className="badge" title={KINDS[kind]}>
          {kind}
        </span>
      )}
      {hash && <Hash hash={hash} of="this prompt" label="prompt" />}
      {times > 1 && view !== "whole" && (
        <span className="badge">
          <Equal className="icon" aria-hidden /> {repetitionText(times)}
        </span>
      )}
      {before && (
        <Button kind="quiet small" onClick={() => go(before.n)}>
          <ChevronUp className="icon" aria-hidden /> Last turn
        </Button>
      )}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  full: "Everything was sent",
  delta: "Only what is new in this turn was sent; the session knows the rest",
};

function Body({ call, view, go }: { call: ModelCall; view: View; go: (n: number) => void }) {
  if (view === "changes") return <PromptChanges call={call} go={go} />;
  if (view === "json") return <WireJson call={call} />;
  const { prompt } = call;
  return (
    <>
      <RequestView call={call} whole />
      {prompt?.blocks !== undefined && prompt && (
        <section aria-label="Blocks of the prompt">
          <h4>Blocks of the system prompt</h4>
          <PromptBlocks
            parts={promptParts({
              event: prompt,
              before: call.before?.prompt
                ? { event: call.before.prompt, number: 0, before: null, times: 1 }
                : null,
              number: 0,
              times: 1,
            })}
            hash={text(prompt, "hash")}
          />
        </section>
      )}
    </>
  );
}
