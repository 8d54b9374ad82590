import { Package } from "lucide-react";
import { FileDiff } from "../../ui/FileDiff";
import { splitDiff } from "../agents/splitDiff";
import { eventLine, shortValue } from "../log/eventLine";
import { actOf } from "../log/people";
import { text, type RunEvent } from "../model/events";
import { INITIAL_VIEW, foldTo } from "../model/fold";
import { requestOf, type ModelCall } from "./modelCalls";
import type { Visit } from "./visits";
import { Mono } from "../../ui/Mono";
import { Empty } from "../../ui/Empty";
import { Pre } from "../../ui/Pre";

const VERDICTS: ReadonlySet<string> = new Set([
  "check.passed",
  "check.failed",
  "tool.refused",
  "intent.read",
  "role.verdict",
  "promptpack.eval",
  "stages.assert",
  "command.finished",
]);
/** A shorter value may appear in a prompt by chance. */
const SHORTEST_READ = 8;

/** Verdicts of a visit, the artifacts that it read and wrote, and the files that it changed. */
export function Results({
  visit,
  calls,
  log,
}: {
  visit: Visit;
  calls: readonly ModelCall[];
  log: readonly RunEvent[];
}) {
  const verdicts = visit.events.filter((event) => VERDICTS.has(event.type) || actOf(event));
  const written = visit.events.filter(
    (event) => event.type === "artifact.set" && event.kind !== "diff",
  );
  const read = readArtifacts(log, visit, calls);
  const files = visit.events.flatMap((event) =>
    splitDiff(text(event, "diff") || (event.kind === "diff" ? String(event.value ?? "") : "")),
  );
  if (verdicts.length + written.length + read.length + files.length === 0)
    return (
      <Empty Icon={Package} title="No results in this visit">
        Verdicts, artifacts and changed files of the state appear here.
      </Empty>
    );
  return (
    <div className="scroll node-list wire-results" tabIndex={0} aria-label="Results of the visit">
      <List title="Verdicts" shown={verdicts.length > 0}>
        {verdicts.map((event) => {
          const { what, detail, tone } = eventLine(event);
          return (
            <li key={event.n} className={`wire-note ${tone}`} data-verdict={event.type}>
              <b>{what}</b> {detail}
            </li>
          );
        })}
      </List>
      <List title="Artifacts written" shown={written.length > 0}>
        {written.map((event) => (
          <li key={event.n} data-written={text(event, "name")}>
            <details>
              <summary>
                <Mono>{text(event, "name")}</Mono>{" "}
                <span className="muted">{shortValue(event.value)}</span>
              </summary>
              <Pre tabIndex={0}>{whole(event.value)}</Pre>
            </details>
          </li>
        ))}
      </List>
      <List title="Artifacts whose value is in its requests" shown={read.length > 0}>
        {read.map((name) => (
          <li key={name} className="mono" translate="no" data-read={name}>
            {name}
          </li>
        ))}
      </List>
      <List title="Files changed" shown={files.length > 0}>
        {files.map((file, index) => (
          <li key={index}>
            <FileDiff path={file.path} diff={file.diff} />
          </li>
        ))}
      </List>
    </div>
  );
}

function List({
  title,
  shown,
  children,
}: {
  title: string;
  shown: boolean;
  children: React.ReactNode;
}) {
  if (!shown) return null;
  return (
    <section aria-label={title}>
      <h4>{title}</h4>
      <ul className="plain">{children}</ul>
    </section>
  );
}

/** Names of the artifacts of earlier events whose text is part of a message of the visit. */
function readArtifacts(
  log: readonly RunEvent[],
  visit: Visit,
  calls: readonly ModelCall[],
): string[] {
  const sent = calls.flatMap((call) => requestOf(call).messages.map((message) => message.text));
  if (sent.length === 0) return [];
  const before = foldTo(
    log.filter((event) => event.type === "artifact.set" && event.n <= visit.n),
    visit.n,
    INITIAL_VIEW,
  ).artifacts;
  return Object.entries(before).flatMap(([name, { value }]) => {
    const wanted = typeof value === "string" ? value.trim() : "";
    const found = wanted.length >= SHORTEST_READ && sent.some((one) => one.includes(wanted));
    return found ? name : [];
  });
}

const whole = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value, null, 2);
