import { useState } from "react";
import {
  packs,
  session,
  useSession,
  type FindMatch,
  type FindRequest,
  type FindResult,
} from "../../session";
import { errorText } from "../../ui/errorText";
import { panels } from "../panelState";
import { showElement } from "../showElement";
import { useRequest } from "../../ui/useRequest";
import { Button } from "../../ui/Button";
import { toggle } from "../../ui/toggle";

const AREAS = ["states", "events", "prompts", "tools", "files"] as const;
type Area = (typeof AREAS)[number];
const PAUSE_MS = 250;

/** Find over states, events, prompts, tools and files. A replacement is previewed, and one edit. */
export function FindView() {
  const [query, setQuery] = useState("");
  const [replacement, setReplacement] = useState<string>("");
  const [matchCase, setMatchCase] = useState(false);
  const [wholeWords, setWholeWords] = useState(false);
  const [areas, setAreas] = useState<ReadonlySet<Area>>(new Set(AREAS));
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  const [replacing, setReplacing] = useState(false);
  const request: FindRequest = {
    query,
    match_case: matchCase,
    whole_words: wholeWords,
    areas: AREAS.filter((one) => areas.has(one)),
    ...(replacing ? { replacement } : {}),
  };
  const { found, problem } = useFound(request);
  const chosen = found?.matches.filter((one) => !skipped.has(one.key)) ?? [];
  const count = chosen.reduce((sum, one) => sum + one.count, 0);
  const replace = async () => {
    const { pack } = session.state;
    if (pack === null || !found) return;
    try {
      const only = skipped.size ? chosen.map((one) => one.key) : null;
      const plan = await packs.find(pack, { ...request, ...(only ? { only } : {}) });
      if (plan.edits.length === 0) {
        session.notify(plan.refused.join(" ") || "The text would not change.", "error");
        return;
      }
      const outcome = await session.edit(plan.edits);
      if (outcome.ok)
        session.notify(`Replaced ${count} ${count === 1 ? "occurrence" : "occurrences"}.`, "ok");
    } catch (error) {
      session.notifyError(error);
    }
  };
  return (
    <div className="find-view">
      <div className="toolbar tight">
        <input
          autoFocus
          className="input"
          aria-label="Find in the pack"
          placeholder="Find…"
          value={query}
          onChange={(event) => setQuery(event.target.value)}
        />
        <input
          className="input"
          aria-label="Replace with"
          placeholder="Replace with…"
          value={replacement}
          onChange={(event) => {
            setReplacement(event.target.value);
            setReplacing(true);
          }}
        />
        <Button
          kind="small"
          disabled={!replacing || !found || chosen.length === 0}
          onClick={() => void replace()}
        >
          {`Replace ${count || ""}`.trim()}
        </Button>
        <Toggle label="Match case" on={matchCase} set={setMatchCase} />
        <Toggle label="Whole words" on={wholeWords} set={setWholeWords} />
        <span className="spacer" />
        {AREAS.map((area) => (
          <Toggle
            key={area}
            label={area}
            on={areas.has(area)}
            set={() => setAreas(toggle(areas, area))}
          />
        ))}
      </div>
      <div className="scroll">
        {problem && <p className="pane-note level-error">{problem}</p>}
        {found?.refused.map((reason) => (
          <p className="pane-note level-warning" key={reason}>
            {reason}
          </p>
        ))}
        <ul className="plain find-matches" aria-label="Matches">
          {found?.matches.map((match) => (
            <Row
              key={match.key}
              match={match}
              replacing={replacing}
              on={!skipped.has(match.key)}
              toggle={() => setSkipped(toggle(skipped, match.key))}
            />
          ))}
        </ul>
        {found?.truncated && <p className="pane-note">Only the first matches are listed.</p>}
        {found && found.matches.length === 0 && (
          <p className="pane-note">{`Nothing contains “${query}”.`}</p>
        )}
      </div>
    </div>
  );
}

function Toggle({ label, on, set }: { label: string; on: boolean; set: (on: boolean) => void }) {
  return (
    <Button kind="quiet small" aria-pressed={on} onClick={() => set(!on)}>
      {label}
    </Button>
  );
}

interface RowProps {
  match: FindMatch;
  replacing: boolean;
  on: boolean;
  toggle: () => void;
}

function Row({ match, replacing, on, toggle }: RowProps) {
  const show = () => {
    showElement(match.element);
    if (match.path) panels.set({ file: match.path });
  };
  return (
    <li className="find-match">
      {replacing ? (
        <input
          type="checkbox"
          aria-label={`Replace in ${match.text}`}
          checked={on}
          onChange={toggle}
        />
      ) : (
        <span />
      )}
      <span className="muted small">{match.area}</span>
      <button type="button" className="find-text mono" translate="no" onClick={show}>
        {replacing && on && match.replaced !== match.text ? (
          <>
            <del>{match.text}</del> <ins>{match.replaced}</ins>
          </>
        ) : (
          match.text
        )}
      </button>
      <Button
        kind="link muted mono small"
        translate="no"
        title="Show in the text"
        onClick={() => panels.showFile(match.path, match.line)}
      >
        {`${match.path.split("/").at(-1)}:${match.line}`}
      </Button>
    </li>
  );
}

/** The matches of the newest revision, after a pause in typing. */
function useFound(request: FindRequest): { found: FindResult | null; problem: string } {
  const pack = useSession((state) => state.pack);
  const revision = useSession((state) => state.revision);
  const asks = pack !== null && request.query !== "" && request.areas?.length !== 0;
  const { value, error } = useRequest(
    asks ? [pack, revision, request] : null,
    () => packs.find(pack!, request),
    { pause: PAUSE_MS },
  );
  return asks
    ? { found: value, problem: error === null ? "" : errorText(error) }
    : { found: null, problem: "" };
}
