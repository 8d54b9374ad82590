import { ChevronUp, Equal, MessageSquareText } from "lucide-react";
import { useMemo, useState } from "react";
import { PromptBlocks } from "./PromptBlocks";
import { text } from "../model/events";
import { PromptChanges } from "./PromptChanges";
import { useRunLog, useRunStore } from "../model/runStore";
import { promptParts, repetitionText, promptTurns, type PromptTurn } from "./promptTurns";
import { Hash } from "./Hash";

const VIEWS = [
  { id: "whole", title: "Whole prompt" },
  { id: "changes", title: "Changes since the last turn" },
  { id: "wire", title: "As it was sent" },
] as const;

type View = (typeof VIEWS)[number]["id"];

/**
 * The prompts sent up to the shown event, each as the model received it and compared with the
 * previous one of its state. `state`: only the prompts of this state.
 */
export function Prompts({ state = "" }: { state?: string }) {
  const log = useRunLog();
  const at = useRunStore((state) => state.at);
  const [chosenEvent, setChosenEvent] = useState<number | null>(null);
  const [view, setView] = useState<View>("whole");
  const turns = useMemo(
    () => promptTurns(log).filter((turn) => !state || text(turn.event, "state") === state),
    [log, state],
  );
  const sent = useMemo(
    () => turns.filter((turn) => turn.event.n <= (at ?? log.length)),
    [turns, at, log],
  );
  const index = sent.findIndex((turn) => turn.event.n === chosenEvent);
  const turn = sent[index] ?? sent.at(-1);
  if (!turn)
    return (
      <div className="empty">
        <MessageSquareText className="icon" aria-hidden />
        <h3>No prompt was sent yet</h3>
        <p>Each prompt appears here as it is sent, with every placeholder filled in.</p>
      </div>
    );
  return (
    <div className="split">
      <ul className="picker" aria-label="Prompts sent">
        {sent.map((one) => (
          <Choice key={one.event.n} turn={one} selected={one === turn} choose={setChosenEvent} />
        ))}
      </ul>
      <section className="prompt" aria-label="Prompt">
        <Head turn={turn} view={view} show={setView} go={setChosenEvent} />
        <div className="split-text" tabIndex={0} aria-label="Text of the prompt">
          <Body key={turn.event.n} turn={turn} view={view} go={setChosenEvent} />
        </div>
      </section>
    </div>
  );
}

function Choice({
  turn,
  selected,
  choose,
}: {
  turn: PromptTurn;
  selected: boolean;
  choose: (n: number) => void;
}) {
  const { event, times } = turn;
  return (
    <li>
      <button type="button" aria-current={selected || undefined} onClick={() => choose(event.n)}>
        <span className="mono muted">{event.n}</span>{" "}
        <span className="mono truncate">{text(event, "state")}</span>
        {times > 1 && <Equal className="icon muted" role="img" aria-label="same as last turn" />}
      </button>
    </li>
  );
}

interface HeadProps {
  turn: PromptTurn;
  view: View;
  show: (view: View) => void;
  go: (n: number) => void;
}

function Head({ turn, view, show, go }: HeadProps) {
  const { event, before, number, times } = turn;
  const kind = text(event, "kind");
  const wired = text(event, "wire_text") !== "";
  return (
    <div className="toolbar tight prompt-head">
      <span className="segments" role="group" aria-label="Prompt view">
        {VIEWS.filter((one) => one.id !== "wire" || wired).map((one) => (
          <button
            key={one.id}
            type="button"
            className="button small"
            aria-pressed={one.id === view}
            onClick={() => show(one.id)}
          >
            {one.title}
          </button>
        ))}
      </span>
      <span className="small">
        turn {number} of <span className="mono">{text(event, "state")}</span>
      </span>
      {kind && (
        <span className="badge" title={KINDS[kind]}>
          {kind}
        </span>
      )}
      {text(event, "hash") && <Hash hash={text(event, "hash")} of="this prompt" />}
      {times > 1 && (
        <span className="badge" data-repeated={times}>
          <Equal className="icon" aria-hidden /> {repetitionText(times)}
        </span>
      )}
      {before && (
        <button type="button" className="button quiet small" onClick={() => go(before.event.n)}>
          <ChevronUp className="icon" aria-hidden /> Last turn
        </button>
      )}
    </div>
  );
}

const KINDS: Readonly<Record<string, string>> = {
  full: "Everything was sent",
  delta: "Only what is new in this turn was sent; the session knows the rest",
};

function Body({ turn, view, go }: { turn: PromptTurn; view: View; go: (n: number) => void }) {
  const wire = text(turn.event, "wire_text");
  if (view === "changes") return <PromptChanges turn={turn} go={go} />;
  if (view === "wire" && wire) return <pre>{wire}</pre>;
  return <PromptBlocks parts={promptParts(turn)} hash={text(turn.event, "hash")} />;
}
