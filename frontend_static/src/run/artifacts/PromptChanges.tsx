import { Equal } from "lucide-react";
import { DiffCounts, TextDiff, useDiff } from "../../ui/TextDiff";
import { promptParts, type PromptPart, type PromptTurn } from "./promptTurns";

/**
 * The difference between a prompt and the previous turn's: lines, and the words of changed lines.
 */
export function PromptChanges({ turn, go }: { turn: PromptTurn; go: (n: number) => void }) {
  const { before, times } = turn;
  if (!before)
    return (
      <p className="help">The first prompt that this state was sent: there is no turn before it.</p>
    );
  const link = (
    <button type="button" className="button link" onClick={() => go(before.event.n)}>
      event {before.event.n}
    </button>
  );
  if (times > 1)
    return (
      <p className="notice hint" data-prompt="same">
        <Equal className="icon" aria-hidden />
        <span>
          Same as last turn ({link}), letter by letter
          {times > 2 ? `: the same ${times} times in a row` : ""}.
        </span>
      </p>
    );
  return (
    <div data-prompt="changed">
      {promptParts(turn)
        .filter((part) => part.text.trim() || part.before?.trim())
        .map((part) => (
          <PartChanges key={part.title} part={part} />
        ))}
    </div>
  );
}

function PartChanges({ part }: { part: PromptPart }) {
  const diff = useDiff(part.before ?? "", part.text);
  const same = diff.added + diff.removed === 0;
  return (
    <section className="prompt-part" aria-label={part.title || undefined}>
      <h4>
        {part.title || "Changes"}{" "}
        {same ? <span className="muted">same as last turn</span> : <DiffCounts diff={diff} />}
      </h4>
      {!same && <TextDiff diff={diff} />}
    </section>
  );
}
