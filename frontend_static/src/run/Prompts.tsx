import { MessageSquareText } from "lucide-react";
import { useMemo, useState } from "react";
import { text } from "./events";
import { shownRun, useShownRun } from "./shown";

/** Every prompt that was sent up to the shown event, exactly as the model got it. */
export function Prompts() {
  const last = useShownRun((shown) => shown.last);
  const at = useShownRun((shown) => shown.at);
  const [chosen, setChosen] = useState<number | null>(null);
  const sent = useMemo(
    () => shownRun.log.filter((event) => event.type === "prompt.logged" && event.n <= (at ?? last)),
    [last, at],
  );
  const shown = sent.find((event) => event.n === chosen) ?? sent.at(-1);
  if (!shown)
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
        {sent.map((event) => (
          <li key={event.n}>
            <button type="button" aria-current={event.n === shown.n || undefined} onClick={() => setChosen(event.n)}>
              <span className="mono muted">{event.n}</span> <span className="mono truncate">{text(event, "state")}</span>
            </button>
          </li>
        ))}
      </ul>
      <section className="split-text" aria-label="Prompt" tabIndex={0}>
        <p className="help mono">{text(shown, "hash").slice(0, 23)}</p>
        <pre>{text(shown, "text")}</pre>
      </section>
    </div>
  );
}
