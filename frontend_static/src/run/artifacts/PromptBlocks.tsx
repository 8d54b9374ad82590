import { Equal } from "lucide-react";
import { useState } from "react";
import { Disclosure } from "../../ui/Disclosure";
import { DiffCounts, useDiff } from "../../ui/TextDiff";
import type { PromptPart } from "./promptTurns";
import { Hash } from "./Hash";
import { Pre } from "../../ui/Pre";

interface Props {
  parts: readonly PromptPart[];
  /** SHA-256 of the whole prompt. */
  hash: string;
}

/** A prompt as collapsible parts, each with its hash and its change since the last turn. */
export function PromptBlocks({ parts, hash }: Props) {
  const [only] = parts;
  if (parts.length === 1 && only && !only.title) return <Pre>{only.text}</Pre>;
  return (
    <div className="blocks" data-hash={hash}>
      {parts.map((part) => (
        <Block key={part.title} part={part} />
      ))}
    </div>
  );
}

function Block({ part }: { part: PromptPart }) {
  const [open, setOpen] = useState(part.title !== "System context");
  const blank = !part.text.trim();
  const title = (
    <>
      {part.title}
      {blank && <span className="muted small">empty</span>}
    </>
  );
  return (
    <section className="block" aria-label={part.title} data-block={part.title}>
      <Disclosure
        title={title}
        open={open && !blank}
        onToggle={setOpen}
        aside={<BlockMarks part={part} blank={blank} />}
      >
        <Pre tabIndex={0}>{part.text}</Pre>
      </Disclosure>
    </section>
  );
}

function BlockMarks({ part, blank }: { part: PromptPart; blank: boolean }) {
  return (
    <span className="block-marks">
      {part.before !== null && !(blank && !part.before.trim()) && (
        <ChangeSinceLastTurn before={part.before} text={part.text} />
      )}
      {!part.sent && !blank && (
        <span className="badge" title="Not sent again: the session knows it">
          known
        </span>
      )}
      {part.hash && <Hash hash={part.hash} of={part.title} />}
    </span>
  );
}

/** The number of lines in which a block differs from the last turn. */
function ChangeSinceLastTurn({ before, text }: { before: string; text: string }) {
  const diff = useDiff(before, text);
  if (before !== text) return <DiffCounts diff={diff} />;
  return (
    <span className="muted small same" title="Same as last turn">
      <Equal className="icon" role="img" aria-label="same as last turn" />
    </span>
  );
}
