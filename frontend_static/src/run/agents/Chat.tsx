import {
  ArrowDownLeft,
  ArrowUpRight,
  FileDiff,
  Hand,
  MessagesSquare,
  SendHorizontal,
  UserRound,
  Wrench,
} from "lucide-react";
import { useEffect, useRef, useState, type KeyboardEvent } from "react";
import { clock } from "../../ui/formatTime";
import { isFinished } from "../model/events";
import { runStore, useRunStore } from "../model/runStore";
import { CallRow } from "./CallRow";
import type { AgentEntry } from "./agentEntries";
import { splitDiff } from "./splitDiff";
import { focusState } from "../model/focusState";
import { keyOf } from "../../ui/keys";
import { useKept } from "../../ui/useKept";
import { Button } from "../../ui/Button";
import { Check } from "../../ui/Check";
import { Empty } from "../../ui/Empty";
import { Pre } from "../../ui/Pre";

const INITIAL_ENTRIES = 80;

/** The messages to and from an agent in order, and a field to write to it. */
export function Chat({
  node,
  entries,
  showDiffs,
}: {
  node: string;
  entries: readonly AgentEntry[];
  showDiffs: () => void;
}) {
  const [maxEntries, setMaxEntries] = useState(INITIAL_ENTRIES);
  const box = useRef<HTMLDivElement>(null);
  const bottom = useRef(true);
  const typed = usePartialOutput(node);
  useEffect(() => setMaxEntries(INITIAL_ENTRIES), [node]);
  useEffect(() => {
    const place = box.current;
    if (place && bottom.current) place.scrollTop = place.scrollHeight;
  }, [entries, typed]);
  const visible = entries.slice(-maxEntries);
  return (
    <div className="node-chat">
      <div
        className="chat-lines"
        ref={box}
        role="log"
        aria-label={`Chat with ${node}`}
        tabIndex={0}
        onScroll={({ currentTarget: place }) => {
          bottom.current = place.scrollTop + place.clientHeight > place.scrollHeight - 24;
        }}
      >
        {entries.length > visible.length && (
          <Button kind="small" onClick={() => setMaxEntries(maxEntries + 200)}>
            {entries.length - visible.length} earlier
          </Button>
        )}
        {entries.length === 0 && !typed && (
          <Empty Icon={MessagesSquare} title="No messages yet">
            Its messages and calls appear here. Send a message below to wake it.
          </Empty>
        )}
        {visible.map((entry) => (
          <ChatEntry key={entry.n} entry={entry} showDiffs={showDiffs} />
        ))}
        {typed && <p className="chat-reply streaming">{typed}</p>}
      </div>
      <Composer key={node} node={node} />
    </div>
  );
}

/** The text that the agent's model is streaming. */
function usePartialOutput(node: string): string {
  return useRunStore((state) => {
    const keys = Object.values(state.head.waiting).flatMap((one) =>
      one.state === node ? one.key : [],
    );
    return keys.flatMap((key) => state.partialOutput[key] ?? []).join("\n");
  });
}

function ChatEntry({ entry, showDiffs }: { entry: AgentEntry; showDiffs: () => void }) {
  switch (entry.kind) {
    case "turn":
      return (
        <button
          type="button"
          className="chat-turn"
          title={`To event ${entry.n}`}
          onClick={() => runStore.seek(entry.n)}
        >
          Turn {entry.number} <span className="muted">{clock(entry.at * 1000)}</span>
        </button>
      );
    case "person":
      return (
        <div className="chat-message person">
          <header>
            <UserRound className="icon" aria-hidden /> A person
            {entry.urgent ? ", interrupting" : ""}
          </header>
          <p>{entry.text || "Continue."}</p>
        </div>
      );
    case "said":
      if (!entry.text && !entry.error) return null;
      return entry.error ? (
        <p className="chat-note bad">{entry.error}</p>
      ) : (
        <p className="chat-reply">{entry.text}</p>
      );
    case "in":
    case "out":
      return <Handoff entry={entry} />;
    case "call":
      return entry.call.tool === "send_handoff" && entry.call.ok ? null : (
        <CallRow call={entry.call} icon={<Wrench className="icon" aria-hidden />} />
      );
    case "diff":
      return (
        <button type="button" className="chat-note link" onClick={showDiffs}>
          <FileDiff className="icon" aria-hidden /> Changed{" "}
          {splitDiff(entry.diff)
            .map((file) => file.path)
            .join(", ")}
        </button>
      );
    case "note":
      return (
        <p className={entry.bad ? "chat-note bad" : "chat-note"}>
          <Hand className="icon" aria-hidden /> {entry.text}
        </p>
      );
  }
}

function Handoff({ entry }: { entry: AgentEntry & { kind: "in" | "out" } }) {
  const incoming = entry.kind === "in";
  const more = Object.entries(entry.more);
  return (
    <div className={`chat-message ${entry.kind}`} data-handoff={entry.kind}>
      <header>
        {incoming ? (
          <ArrowDownLeft className="icon" aria-hidden />
        ) : (
          <ArrowUpRight className="icon" aria-hidden />
        )}
        {incoming ? "from" : "to"}
        <Button kind="link mono" translate="no" onClick={() => focusState(entry.other)}>
          {entry.other}
        </Button>
      </header>
      <p>{entry.message}</p>
      {more.map(([name, value]) => (
        <Pre key={name}>
          <b>{name}</b> {typeof value === "string" ? value : JSON.stringify(value)}
        </Pre>
      ))}
    </div>
  );
}

/**
 * Sends a message to the agent, for its next turn or as an interruption. It goes to the run's
 * newest state, not to the shown event.
 */
function Composer({ node }: { node: string }) {
  const over = useRunStore((state) => isFinished(state.status));
  const run = useRunStore((state) => state.id);
  const [text, setText, drop] = useKept(`run ${run} to ${node}`, `Message to ${node}`, () => "");
  const [interrupt, setInterrupt] = useState(false);
  const [busy, setBusy] = useState(false);
  if (over)
    return (
      <p className="chat-ended small muted">This run has ended; messages can&rsquo;t be sent.</p>
    );
  const send = async () => {
    if (!text.trim() || busy) return;
    setBusy(true);
    const sent = await runStore.signal({ type: "Tell", state: node, text: text.trim(), interrupt });
    setBusy(false);
    if (!sent) return;
    drop();
    setText("");
  };
  const keys = (event: KeyboardEvent) => {
    if (keyOf(event) !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <textarea
        className="input"
        rows={2}
        aria-label={`Write to ${node}`}
        placeholder={`Write to ${node}…`}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={keys}
      />
      <div className="row">
        <Check
          kind="small"
          on={interrupt}
          set={setInterrupt}
          title="Stop this turn. Its messages return to the queue."
        >
          Interrupt
        </Check>
        <span className="spacer" />
        <Button type="submit" kind="primary small" disabled={!text.trim() || busy}>
          <SendHorizontal className="icon" aria-hidden /> {interrupt ? "Interrupt" : "Send"}
        </Button>
      </div>
    </form>
  );
}
