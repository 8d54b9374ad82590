/**
 * The popup of a new arrow: the id of a new target, and the event. Enter goes from
 * one field to the next, and from the last one saves. Escape saves nothing.
 */

import { useLayoutEffect, useMemo, useRef, useState } from "react";
import {
  idPrefix,
  newStateId,
  paletteOf,
  session,
  shortId,
  useSession,
  type Offer,
} from "../../../session";
import { CARD } from "../../scene/cardSizes";
import type { Point, Rect } from "../../scene/geometry";
import { NameHint } from "../../view/NameHint";
import { Popup } from "../../view/Popup";
import { stateNameProblem } from "../../view/stateNames";
import type { Stage } from "../../view/stage";
import { useStage } from "../../view/stageContext";
import { connect, type Dropped } from "./connect";
import { connectOptions, defaultLabel, readLabel } from "../../view/connectOptions";
import { useAsked } from "../../../ui/useAsked";
import { useOffers, onEnter, useEnter } from "../../view/offers";

const NEW_STATE = "";

interface Props {
  dropped: Dropped;
  onClose: () => void;
}

export function ConnectMenu({ dropped, onClose }: Props) {
  const stage = useStage();
  const { source } = dropped;
  const isNew = dropped.target === null;
  const level = useSession((state) => state.level);
  const { offers, problem } = useOffers(source);
  const [short, setShort] = useNewId(dropped.newId);
  const idProblem = isNew && short.trim() ? stateNameProblem(short) : null;
  const id = (idProblem ? idProblem.nearest : short.trim()) || "";
  const target = dropped.target ?? NEW_STATE;
  const graph = useSession((state) => state.graph);
  const options = useMemo(
    () => offers && connectOptions(offers, graph.transitions.values(), source, target),
    [offers, graph.transitions, source, target],
  );
  const [typed, setTyped] = useState<string | null>(null);
  useAsked("New event", typed !== null);
  const suggested = useMemo(() => {
    if (!options) return "";
    const taken = [...graph.transitions.values()].flatMap((arrow) =>
      arrow.source === source ? [arrow.label] : [],
    );
    return defaultLabel(options, isNew ? id : selfName(source, target, level), taken, isNew);
  }, [options, graph.transitions, source, isNew, id, target, level]);
  const label = typed ?? suggested;
  const answer = options ? readLabel(label, options, isNew) : { label: "", problem: "" };
  const idField = useRef<HTMLInputElement>(null);
  const eventField = useRef<HTMLInputElement>(null);

  const save = (event: string) => {
    if (isNew && !id) return idField.current?.focus();
    connect(stage, dropped, event, isNew ? `${idPrefix(level)}${id}` : null);
    onClose();
    stage.element?.focus({ preventScroll: true });
  };
  const { enter, waiting } = useEnter(options !== null, () => {
    if (answer.label) save(answer.label);
  });
  // The default event stays selected until something else is typed.
  useLayoutEffect(() => {
    if (typed === null && document.activeElement === eventField.current)
      eventField.current?.select();
  }, [suggested, typed]);
  const name = isNew ? "new state" : target;
  const against = isNew && options?.choices.length ? "" : options?.reason;
  const shown = (options?.choices ?? []).filter(
    (choice) => typed === null || choice.label.toLowerCase().includes(typed.trim().toLowerCase()),
  );
  return (
    <Popup
      at={placeOf(stage, dropped)}
      avoid={endOf(stage, dropped)}
      label={`Arrow from ${source} to ${name}`}
      onClose={onClose}
    >
      {isNew && (
        <>
          <h3>New state</h3>
          <input
            ref={idField}
            data-first={dropped.newId === undefined ? true : undefined}
            aria-label="Id of the new state"
            aria-invalid={idProblem !== null || undefined}
            value={short}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setShort(event.target.value)}
            onKeyDown={onEnter(() => {
              if (!id) return;
              if (id !== short) setShort(id);
              eventField.current?.focus();
              eventField.current?.select();
            })}
          />
          {idProblem && <NameHint {...idProblem} onTake={setShort} />}
        </>
      )}
      <h3>
        {shortId(source, level)} → {isNew ? id || "…" : shortId(target, level)}
      </h3>
      <input
        ref={eventField}
        data-first={isNew && dropped.newId === undefined ? undefined : true}
        aria-label="New event"
        aria-invalid={answer.problem !== "" || undefined}
        placeholder={options ? eventExample(offers, options.newNamePattern) : "Event"}
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
      {shown.map((choice) => (
        <button
          type="button"
          key={choice.label}
          className="mono"
          translate="no"
          disabled={choice.reason !== "" && !isNew}
          onClick={() => save(choice.label)}
        >
          {choice.label}
          {!isNew && choice.reason && <small>{choice.reason}</small>}
        </button>
      ))}
      {(problem || against) && <p className="problem">{problem || against}</p>}
    </Popup>
  );
}

/** The card at the end of the arrow, or the place of a new one. */
function endOf(stage: Stage, { at, target }: Dropped): Rect {
  const card = target === null ? null : stage.scene.cards.get(target);
  return card ?? { x: at.x, y: at.y - CARD.h / 2, ...CARD };
}

/** Below the target, so that the arrow and its end stay visible. */
function placeOf(stage: Stage, dropped: Dropped): Point {
  const { x, y, h } = endOf(stage, dropped);
  return { x, y: y + h + GAP };
}

const GAP = 12;

/** The name from which an event is made: of the target, or for a loop a word for one. */
const selfName = (source: string, target: string, level: string): string =>
  source === target ? "again" : shortId(target, level);

/** The id of the new state: the typed one, at first the suggested one. */
function useNewId(given?: string): [string, (id: string) => void] {
  return useState(() => {
    const { level } = session.state;
    const suggestedId = paletteOf(session.state)[0]?.suggested_id ?? "new_state";
    return given ?? shortId(newStateId(suggestedId, session.state), level);
  });
}

/** Placeholder for a new label: an event's name, or a condition. */
function eventExample(offers: Offer[] | null, pattern: string | null): string {
  const any = offers?.find((offer) => offer.label === "");
  if (any?.kind === "conditional") return "score >= 3";
  return pattern === null ? "Event" : "New event…";
}
