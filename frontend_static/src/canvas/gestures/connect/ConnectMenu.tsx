/** The menu after an arrow is dropped: the available events, or a new one. */

import { useEffect, useMemo, useState } from "react";
import { errorText } from "../../../ui/errorText";
import {
  newStateId,
  paletteOf,
  idPrefix,
  session,
  shortId,
  useSession,
  type Offer,
} from "../../../session";
import { useStage } from "../../view/stageContext";
import { Popup } from "../../view/Popup";
import { connectOptions, nameProblem } from "./connectOptions";
import { connect, type Dropped } from "./connect";

const NEW_STATE = "";

export function ConnectMenu({ dropped, onClose }: { dropped: Dropped; onClose: () => void }) {
  const stage = useStage();
  const [offers, setOffers] = useState<Offer[] | null>(null);
  const [problem, setProblem] = useState("");
  const graph = useSession((state) => state.graph);
  const level = useSession((state) => state.level);
  const fullGraph = useSession((state) => state.fullGraph);
  const palette = useSession((state) => state.palette);
  const suggested = useMemo(() => {
    const suggestedId = paletteOf({ level, palette })[0]?.suggested_id ?? "new_state";
    return shortId(newStateId(suggestedId, { level, fullGraph }), level);
  }, [level, fullGraph, palette]);
  const [short, setShort] = useState(suggested);
  const id = short && `${idPrefix(level)}${short}`;
  useEffect(() => {
    session.fetchOffers(dropped.source).then(setOffers, (error: unknown) => {
      setOffers([]);
      setProblem(errorText(error));
    });
  }, [dropped.source]);
  const target = dropped.target ?? NEW_STATE;
  const options = useMemo(
    () => offers && connectOptions(offers, graph.transitions.values(), dropped.source, target),
    [offers, graph.transitions, dropped.source, target],
  );
  const idTaken = dropped.target === null && fullGraph.states.has(id);
  const take = (label: string) => {
    if (dropped.target === null && (!id || idTaken)) return;
    connect(stage, dropped, label, id);
    onClose();
    stage.element?.focus({ preventScroll: true });
  };
  const name = dropped.target === null ? "new state" : dropped.target;
  // A refusal applies to the existing states, not to a new one.
  const against = dropped.target === null && options?.choices.length ? "" : options?.reason;
  return (
    <Popup at={dropped.at} label={`Arrow from ${dropped.source} to ${name}`} onClose={onClose}>
      {dropped.target === null && (
        <>
          <h3>New state</h3>
          <input
            aria-label="Id of the new state"
            value={short}
            onChange={(event) => setShort(event.target.value.trim())}
            onKeyDown={(event) => {
              if (event.key === "Enter") nextFocusable(event.currentTarget)?.focus();
            }}
          />
          {idTaken && <p className="problem">There is a state “{short}” already.</p>}
        </>
      )}
      <h3>
        {shortId(dropped.source, level)} →{" "}
        {dropped.target === null ? short || "…" : shortId(dropped.target, level)}
      </h3>
      {!options && <p>Asking what fits here…</p>}
      {options?.choices.map((choice) => (
        <button
          type="button"
          key={choice.label}
          className="mono"
          disabled={choice.reason !== "" && dropped.target !== null}
          onClick={() => take(choice.label)}
        >
          {choice.label}
          {dropped.target !== null && choice.reason && <small>{choice.reason}</small>}
        </button>
      ))}
      {options && options.newNamePattern !== null && (
        <NewEvent
          pattern={options.newNamePattern}
          example={newEventExample(offers)}
          onTake={take}
        />
      )}
      {(problem || against) && <p className="problem">{problem || against}</p>}
    </Popup>
  );
}

/** Placeholder for a new label: an event's name, or a condition. */
function newEventExample(offers: Offer[] | null): string {
  const any = offers?.find((offer) => offer.label === "");
  return any?.kind === "conditional" ? "score >= 3" : "New event…";
}

interface NewEventProps {
  pattern: string;
  example: string;
  onTake: (label: string) => void;
}

function NewEvent({ pattern, example, onTake }: NewEventProps) {
  const [name, setName] = useState("");
  const problem = nameProblem(name, pattern);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() && !problem) onTake(name.trim());
      }}
    >
      <input
        data-first
        aria-label="New event"
        placeholder={example}
        value={name}
        onChange={(event) => setName(event.target.value)}
      />
      {problem && <p className="problem">{problem}</p>}
    </form>
  );
}

const nextFocusable = (field: HTMLElement) =>
  [
    ...(field.closest(".popup")?.querySelectorAll<HTMLElement>("input, button:not(:disabled)") ??
      []),
  ].find((one) => one.compareDocumentPosition(field) === Node.DOCUMENT_POSITION_PRECEDING);
