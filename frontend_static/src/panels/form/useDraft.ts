/**
 * Every place where a pack's text is typed uses this hook. A text is kept in the browser from the
 * first key and stored after a pause (`live`), or when the field is left.
 */

import { useCallback, useEffect, useRef, useState, type KeyboardEvent } from "react";
import { onNextAnswer, session, Unreachable, useSession } from "../../session";
import { errorText } from "../../ui/errorText";
import { keyOf } from "../../ui/keys";
import { baseOf, mergeText } from "../../ui/code/mergeText";
import {
  closeText,
  dropTyped,
  keepTyped,
  keptTyped,
  openText,
  UNFINISHED,
} from "../../ui/typedTexts";

interface Options {
  /** The place in the pack, unique there: `state:draft/description`. */
  place: string;
  /** The name of the field, for the save status. */
  label: string;
  saved: string;
  /**
   * Store the text. Resolves with an error message, or null. A `typing` person has not left the
   * field; undefined leaves the text for later.
   */
  apply: (text: string, typing: boolean) => Promise<string | null | undefined>;
  /** Store while typing. Names and keys are stored when they are whole. */
  live?: boolean;
}

/** A text as it is kept in the browser. */
export interface KeptText {
  text: string;
  label: string;
  /** The stored text from which it was typed on. */
  base: string;
  /** A text before it that was handed over, and perhaps stored. */
  sent?: string | null;
}

/**
 * The kept text of an earlier page, with what was changed elsewhere since, and the text it began
 * from; null without one.
 */
function restored(key: string, saved: string): KeptText | null {
  const kept = keptTyped<KeptText>(key);
  if (!kept || typeof kept.text !== "string") return null;
  const both = mergeText(baseOf(kept.base ?? saved, kept.sent ?? null, saved), kept.text, saved);
  return both === null ? kept : { ...kept, text: both, base: saved };
}

/** A text stored elsewhere in place of one that is being typed, until one of both is chosen. */
export interface Clash {
  theirs: string;
  keep: () => void;
  take: () => void;
}

const PAUSE_MS = 500;
const ELSEWHERE = "it was changed elsewhere too, so choose which text stays";

export function useDraft({ place, label, saved, apply, live = false }: Options) {
  const key = `${useSession((state) => state.pack)} ${place}`;
  const latest = useRef({ label, saved, apply });
  // After the cleanups of other effects, which store a text at the place where it was typed.
  useEffect(() => {
    latest.current = { label, saved, apply };
  });
  const [kept] = useState(() => restored(key, saved));
  const [draft, setDraft] = useState(kept?.text ?? saved);
  const [problem, setProblem] = useState<string | null>(null);
  /** The text that was handed over last, until the pack has it. */
  const [sent, setSent] = useState<string | null>(null);
  const typed = useRef<string | null>(kept?.text ?? null);
  /** The stored text from which the typed one began. */
  const base = useRef(kept?.base ?? saved);
  const [theirs, setTheirs] = useState(kept && live && kept.base !== saved ? saved : null);
  const undecided = useRef(theirs !== null);
  const [taken, setTaken] = useState(0);
  const handed = useRef<string | null>(null);
  const busy = useRef(false);
  /** The text before this stretch of typing, to which Escape returns. */
  const before = useRef<string | null>(kept === null ? null : saved);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);

  const close = useCallback(() => {
    typed.current = null;
    undecided.current = false;
    setTheirs(null);
    setProblem(null);
    dropTyped(key);
    closeText(key);
  }, [key]);

  const store = useCallback(
    async (typing: boolean): Promise<void> => {
      clearTimeout(timer.current);
      const text = typed.current;
      if (text === null || text === handed.current || undecided.current) return;
      // A change by another person is merged first: an edit without it would replace it.
      if (typing && session.isReading()) {
        timer.current = setTimeout(() => void store(true), PAUSE_MS);
        return;
      }
      const { saved: now, apply: applyNow, label: name } = latest.current;
      if (handed.current === null && text === now) return close();
      handed.current = text;
      setSent(text);
      busy.current = true;
      let result: string | null | undefined;
      try {
        result = await session.awaitEdit(applyNow(text, typing));
      } catch (error) {
        result = `${errorText(error)} The text is kept.`;
        if (error instanceof Unreachable) onNextAnswer(() => void store(typing));
      }
      busy.current = handed.current !== text;
      if (result === null && typed.current === text) return close();
      if (typeof result === "string" || result === undefined) {
        if (handed.current === text) handed.current = null;
        if (typed.current !== text) return;
        setProblem(result ?? null);
        openText(key, { status: result ? `${name} not applied: ${result}` : "", store, live });
      }
    },
    [key, live, close],
  );

  useEffect(() => {
    if (kept !== null) {
      const wait = undecided.current ? ELSEWHERE : UNFINISHED;
      openText(key, { status: `${latest.current.label} not applied: ${wait}`, store, live });
      // A text that an earlier page could not send is sent now. A name still needs Enter.
      if (live) void store(true);
    }
    return () => void store(false);
  }, [key, kept, live, store]);

  useEffect(() => {
    const isEcho = handed.current !== null && before.current !== null;
    if (typed.current === saved) close();
    if (typed.current === null && !isEcho) setDraft(saved);
    const mine = typed.current;
    if (live && mine !== null && handed.current === null && saved !== base.current) {
      const both = mergeText(base.current, mine, saved);
      undecided.current = both === null;
      setTheirs(both === null ? saved : null);
      if (both === null) {
        clearTimeout(timer.current);
        openText(key, { status: `${latest.current.label} not applied: ${ELSEWHERE}`, store, live });
      } else if (both !== mine) change.current(both);
    }
    if (handed.current === saved) base.current = saved;
    if (handed.current === saved || typed.current === null) handed.current = null;
  }, [saved, key, live, store, close]);

  const type = (text: string) => {
    before.current ??= saved;
    typed.current = text;
    setDraft(text);
    clearTimeout(timer.current);
    if (text === (handed.current ?? saved)) {
      if (!busy.current) close();
      return;
    }
    if (!undecided.current) base.current = saved;
    const record: KeptText = { text, label, base: base.current, sent: handed.current };
    keepTyped(key, record);
    if (undecided.current) return;
    openText(key, { status: live ? "" : `${label} not applied: ${UNFINISHED}`, store, live });
    if (live) timer.current = setTimeout(() => void store(true), PAUSE_MS);
  };
  const change = useRef(type);
  useEffect(() => {
    change.current = type;
  });
  const keep = () => {
    undecided.current = false;
    setTheirs(null);
    base.current = saved;
    void store(false);
  };
  const take = () => {
    close();
    before.current = null;
    setDraft(saved);
    setTaken(taken + 1);
  };
  const clash: Clash | null = theirs === null ? null : { theirs, keep, take };
  /** Store the text now, because the field is left. */
  const finish = () => {
    before.current = null;
    void store(false);
    if (typed.current === null && handed.current === null) setDraft(latest.current.saved);
  };
  /** Return to the text before this stretch of typing. */
  const reset = () => {
    if (undecided.current) return take();
    const text = before.current ?? saved;
    before.current = null;
    typed.current = text;
    setDraft(text);
    if (text === (handed.current ?? saved)) close();
    else void store(false);
  };
  /** The attributes of an input. `stay`: Enter stores the text and keeps the focus. */
  const inputProps = ({ stay = false } = {}) => ({
    value: draft,
    spellCheck: false,
    onChange: (event: { target: { value: string } }) => type(event.target.value),
    onBlur: finish,
    onKeyDown: (event: KeyboardEvent<HTMLElement>) => {
      const pressed = keyOf(event);
      if (pressed === "Escape") reset();
      else if (pressed !== "Enter" || stay) {
        if (pressed === "Enter") finish();
        return;
      }
      event.currentTarget.blur();
    },
  });
  /** The attributes of a text editor. */
  const codeProps = {
    draft: taken ? undefined : kept?.text,
    sent,
    taken,
    onChange: type,
    onLeave: finish,
  };
  /** Show another text, such as an empty one for the next entry of a list. */
  const clear = (text = "") => {
    close();
    handed.current = null;
    setDraft(text);
  };
  return { draft, problem, clash, inputProps, codeProps, clear };
}
