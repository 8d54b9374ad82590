import { Equal } from "lucide-react";
import { DiffCounts, TextDiff, useDiff } from "../../ui/TextDiff";
import { requestOf, type ModelCall } from "../inspector/modelCalls";
import type { WireMessage, WireRequest } from "../inspector/wireRequest";
import { Button } from "../../ui/Button";

interface Part {
  title: string;
  text: string;
  before: string;
}

/**
 * The difference between a request and the previous one of its state: messages, tools and
 * settings, by lines and the words of changed lines.
 */
export function PromptChanges({ call, go }: { call: ModelCall; go: (n: number) => void }) {
  const { before, times } = call;
  if (!before)
    return (
      <p className="help">The first prompt that this state was sent: there is no turn before it.</p>
    );
  const link = (
    <Button kind="link" onClick={() => go(before.n)}>
      event {before.n}
    </Button>
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
      {changedParts(requestOf(call), requestOf(before)).map((part) => (
        <PartChanges key={part.title} part={part} />
      ))}
    </div>
  );
}

/** Every message with the one in its place in the previous request, then the rest. */
function changedParts(now: WireRequest, then: WireRequest): Part[] {
  const count = Math.max(now.messages.length, then.messages.length);
  const messages = Array.from({ length: count }, (_, index) => {
    const [one, other] = [now.messages[index], then.messages[index]];
    const role = (one ?? other)?.role ?? "";
    return {
      title: role === "system" ? "System" : `${index + 1}. ${role}`,
      text: messageText(one),
      before: messageText(other),
    };
  });
  const rest = (["model", "tools", "schema", "settings"] as const).map((name) => ({
    title: name[0]!.toUpperCase() + name.slice(1),
    text: plain(now[name]),
    before: plain(then[name]),
  }));
  return [...messages, ...rest.filter((part) => part.text !== part.before)];
}

function messageText(message: WireMessage | undefined): string {
  if (!message) return "";
  const calls = message.calls.map((call) => `${call.name}(${call.arguments})`);
  return [message.text, ...calls].filter(Boolean).join("\n");
}

const plain = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);

function PartChanges({ part }: { part: Part }) {
  const diff = useDiff(part.before, part.text);
  const same = diff.added + diff.removed === 0;
  return (
    <section className="prompt-part" aria-label={part.title || undefined}>
      <h4>
        {part.title}{" "}
        {same ? <span className="muted">same as last turn</span> : <DiffCounts diff={diff} />}
      </h4>
      {!same && <TextDiff diff={diff} />}
    </section>
  );
}
