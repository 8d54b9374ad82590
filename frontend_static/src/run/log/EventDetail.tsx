import type { RunEvent } from "../model/events";
import { reasonText } from "../model/reasonText";
import { useRunStore } from "../model/runStore";
import { Pre } from "../../ui/Pre";

/** All fields of one event, with search matches highlighted. */
export function EventDetail({ event, query }: { event: RunEvent | undefined; query: string }) {
  const typed = useRunStore((state) => Object.values(state.partialOutput).join("\n"));
  if (!event) return null;
  const { n, at: _at, type, ...fields } = event;
  return (
    <section className="split-side" aria-label="Event" tabIndex={0}>
      <h2 className="mono" translate="no">
        {n} <Highlighted text={type} query={query} />
      </h2>
      {typed && <Pre className="streaming">{typed}</Pre>}
      <dl className="event-fields">
        {Object.entries(fields).map(([name, value]) => (
          <div key={name}>
            <dt>
              <Highlighted text={name} query={query} />
            </dt>
            <dd>
              <Pre>
                <Highlighted text={fieldText(name, value)} query={query} />
              </Pre>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function fieldText(name: string, value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2);
  return name === "reason" ? reasonText(value) : value;
}

const MAX_MARKS = 500;

/** A text with all matches of the query highlighted, ignoring case. */
export function Highlighted({ text, query }: { text: string; query: string }) {
  if (!query) return text;
  const parts: (string | { mark: string })[] = [];
  const [lowerCase, needle] = [text.toLowerCase(), query.toLowerCase()];
  let from = 0;
  // Lower case can change a text's length; then the positions would not match, and nothing is
  // highlighted.
  let place = lowerCase.length === text.length ? lowerCase.indexOf(needle) : -1;
  while (place >= 0 && parts.length < MAX_MARKS) {
    parts.push(text.slice(from, place), { mark: text.slice(place, place + needle.length) });
    from = place + needle.length;
    place = lowerCase.indexOf(needle, from);
  }
  parts.push(text.slice(from));
  return parts.map((part, index) =>
    typeof part === "string" ? part : <mark key={index}>{part.mark}</mark>,
  );
}
