/**
 * The popup of an insertion: the id of a new state, and the event of the arrow to the old target.
 * Enter goes from one field to the next, and from the last one saves. Escape saves nothing.
 */

import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { idPrefix, session, shortId, type Transition } from "../../../session";
import { CARD } from "../../scene/cardSizes";
import { connectOptions, defaultLabel, readLabel } from "../../view/connectOptions";
import { NameHint } from "../../view/NameHint";
import { Popup } from "../../view/Popup";
import type { Insertion } from "../../view/stage";
import { stateNameProblem } from "../../view/stateNames";
import { useAsked } from "../../../ui/useAsked";
import { useOffers, onEnter, useEnter } from "../../view/offers";

interface Props {
  insertion: Insertion;
  arrow: Transition;
  onSave: (id: string, event: string) => void;
  onClose: () => void;
}

export function InsertMenu({ insertion, arrow, onSave, onClose }: Props) {
  const { card, at } = insertion;
  const { level } = session.state;
  const isNew = "kind" in card;
  const [short, setShort] = useState(shortId(isNew ? card.suggestedId : card.id, level));
  const idProblem = isNew && short.trim() ? stateNameProblem(short) : null;
  const name = idProblem ? idProblem.nearest : short.trim();
  const { offers, problem } = useOffers(isNew ? stateLike(card.kind, arrow) : card.id);
  const options = useMemo(
    () => offers && connectOptions(offers, [], name, arrow.target),
    [offers, name, arrow.target],
  );
  const [typed, setTyped] = useState<string | null>(null);
  useAsked("New event", typed !== null);
  const own = options ? readLabel(arrow.label, options, isNew) : { label: "", problem: "" };
  const suggested =
    own.label && !own.problem
      ? own.label
      : options
        ? defaultLabel(options, shortId(arrow.target, level), [])
        : "";
  const label = typed ?? suggested;
  const answer = options ? readLabel(label, options, isNew) : { label: "", problem: "" };
  const eventField = useRef<HTMLInputElement>(null);
  // Before the browser reads the next key, which would otherwise be selected and replaced.
  useLayoutEffect(() => {
    if (typed === null && document.activeElement === eventField.current)
      eventField.current?.select();
  }, [suggested, typed]);

  const save = (event: string) => {
    if (name && event) onSave(isNew ? `${idPrefix(level)}${name}` : card.id, event);
  };
  const { enter, waiting } = useEnter(options !== null, () => save(answer.label));
  return (
    <Popup
      at={{ x: at.x, y: at.y + CARD.h + GAP }}
      avoid={{ ...at, ...CARD }}
      label={`Insert into ${arrow.label || "the arrow"} from ${arrow.source} to ${arrow.target}`}
      onClose={onClose}
    >
      {isNew && (
        <>
          <h3>New state</h3>
          <input
            data-first
            aria-label="Id of the new state"
            aria-invalid={idProblem !== null || undefined}
            value={short}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setShort(event.target.value)}
            onKeyDown={onEnter(() => {
              if (!name) return;
              if (name !== short) setShort(name);
              eventField.current?.focus();
              eventField.current?.select();
            })}
          />
          {idProblem && <NameHint {...idProblem} onTake={setShort} />}
        </>
      )}
      <h3>
        {name || "…"} → {shortId(arrow.target, level)}
      </h3>
      <input
        ref={eventField}
        data-first={isNew ? undefined : true}
        aria-label="New event"
        aria-invalid={answer.problem !== "" || undefined}
        placeholder="Event"
        value={label}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onEnter(enter)}
      />
      {answer.problem && (
        <NameHint text={answer.problem} nearest={answer.label} onTake={(event) => save(event)} />
      )}
      {!options && !problem && <p role="status">{waiting ? "Saving…" : "Loading events…"}</p>}
      {options?.choices
        .filter((choice) => !choice.reason && (typed === null || choice.label.includes(typed)))
        .map((choice) => (
          <button
            type="button"
            key={choice.label}
            className="mono"
            translate="no"
            onClick={() => save(choice.label)}
          >
            {choice.label}
          </button>
        ))}
      {(problem || options?.reason) && <p className="problem">{problem || options?.reason}</p>}
    </Popup>
  );
}

const GAP = 12;

/** The server knows a new state only when it is saved, so the events are those of a state of its kind. */
function stateLike(kind: string, arrow: Transition): string {
  const { states } = session.state.graph;
  const alike = [...states.values()].find((state) => state.kind === kind && !state.terminal);
  return alike?.id ?? arrow.source;
}
