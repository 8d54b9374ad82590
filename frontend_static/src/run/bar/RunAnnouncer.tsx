/** Announces a run to screen readers: its state, a question to the person, and its end. */

import { useEffect, useState } from "react";
import { runStore } from "../model/runStore";
import { spokenStatus } from "../model/spokenStatus";

/** Milliseconds between two announcements, because a run can be fast. */
const PAUSE = 2_000;

export function RunAnnouncer() {
  const [text, setText] = useState("");
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const announce = () => {
      timer = undefined;
      setText(spokenStatus(runStore.store.getState().head));
    };
    const stop = runStore.store.subscribe((now, before) => {
      if (now.head !== before.head) timer ??= setTimeout(announce, PAUSE);
    });
    announce();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div className="visually-hidden" role="status" aria-live="polite" data-run-spoken>
      {text}
    </div>
  );
}
