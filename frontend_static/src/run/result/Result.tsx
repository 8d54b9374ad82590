import type { RunResult } from "../../session";
import { costText, duration } from "../../ui/formatTime";
import { shortValue } from "../log/eventLine";
import { isFinished, statusLabel } from "../model/events";
import { reasonText } from "../model/reasonText";
import { focusState } from "../model/focusState";
import { runStore } from "../model/runStore";
import { useHeadSeconds } from "../model/useRunClock";
import { AllowedTools } from "./AllowedTools";
import { HowStarted } from "./HowStarted";
import { answerText } from "./answerText";
import { useRunResult } from "./useRunResult";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";
import { siteUrl } from "../../ui/siteUrl";

/** The answer of the run, its end, the artifacts and files that it wrote, and its cost. */
export function Result() {
  const result = useRunResult();
  const { worked, waited } = useHeadSeconds();
  if (result === null) return <div className="scroll run-result" aria-busy="true" />;
  const ended = isFinished(result.status);
  return (
    <div className="scroll run-result" data-result={result.status}>
      <p className="result-end">
        <span className={`badge ${result.status}`}>{statusLabel(result.status)}</span>{" "}
        {result.ends.length > 0 && <>in {result.ends.map(stateLink)}</>}
        {result.reason && <span className="result-reason">{reasonText(result.reason)}</span>}
        <a className="small" href={siteUrl(`/api/v1/runs/${result.run}/result/`)}>
          JSON
        </a>
      </p>
      <Totals
        totals={
          ended
            ? result.totals
            : { ...result.totals, seconds: worked + waited, waited_seconds: waited }
        }
      />
      <section aria-label="Answer">
        <h3>Answer</h3>
        {result.answer ? (
          <Pre className="artifact answer" data-answer>
            {answerText(result)}
          </Pre>
        ) : (
          <p className="help">
            {ended ? "The run ended without an answer." : "The run has not answered yet."}
          </p>
        )}
      </section>
      {result.states.length > 0 && <Costs result={result} />}
      <HowStarted />
      <AllowedTools />
      <People people={result.people} />
      <Written result={result} />
    </div>
  );
}

const stateLink = (state: string) => (
  <Button key={state} kind="link mono" translate="no" onClick={() => focusState(state)}>
    {state}
  </Button>
);

function Totals({ totals }: { totals: RunResult["totals"] }) {
  const figures: [string, string][] = [
    ["Worked", duration((totals.seconds - totals.waited_seconds) * 1000)],
    ["Waited for people", duration(totals.waited_seconds * 1000)],
    ["State visits", totals.visits.toLocaleString("en")],
    ["Model calls", totals.model_calls.toLocaleString("en")],
    ["Tool calls", totals.tool_calls.toLocaleString("en")],
    ["Tokens in", totals.input_tokens.toLocaleString("en")],
    ["Tokens out", totals.output_tokens.toLocaleString("en")],
    ["Cost", costText(totals.cost)],
  ];
  return (
    <dl className="result-totals" aria-label="Totals">
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd data-total={name}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Costs({ result }: { result: RunResult }) {
  return (
    <section aria-label="Model calls">
      <h3>Model calls</h3>
      <table className="table dense">
        <thead>
          <tr>
            <th>State</th>
            <th className="number">Calls</th>
            <th className="number">Tokens in</th>
            <th className="number">Tokens out</th>
            <th className="number">Cost</th>
            <th className="number">Time</th>
          </tr>
        </thead>
        <tbody>
          {result.states.map((row) => (
            <tr key={row.state} data-cost-of={row.state}>
              <td>{stateLink(row.state)}</td>
              <td className="number">{row.calls}</td>
              <td className="number">{row.input_tokens.toLocaleString("en")}</td>
              <td className="number">{row.output_tokens.toLocaleString("en")}</td>
              <td className="number">{costText(row.cost)}</td>
              <td className="number">{duration(row.seconds * 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>Each call ({result.turns.length})</summary>
        <table className="table dense calls">
          <thead>
            <tr>
              <th>Event</th>
              <th>State</th>
              <th>Model</th>
              <th className="number">Tokens in</th>
              <th className="number">Tokens out</th>
              <th className="number">Cost</th>
              <th className="number">Time</th>
            </tr>
          </thead>
          <tbody>
            {result.turns.map((turn) => (
              <tr key={turn.n}>
                <td>
                  <Button kind="link mono" translate="no" onClick={() => runStore.seek(turn.n)}>
                    {turn.n}
                  </Button>
                </td>
                <td>{stateLink(turn.state)}</td>
                <td className="mono" translate="no">
                  {turn.by ? `answered by ${turn.by}` : turn.model || "simulated"}
                </td>
                <td className="number">{turn.input_tokens.toLocaleString("en")}</td>
                <td className="number">{turn.output_tokens.toLocaleString("en")}</td>
                <td className="number">{costText(turn.cost)}</td>
                <td className="number">{duration(turn.seconds * 1000)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}

/** Acts of people, with the words of the log. */
function People({ people }: { people: RunResult["people"] }) {
  if (people.length === 0) return null;
  return (
    <section aria-label="People">
      <h3>People</h3>
      <ul>
        {people.map(({ n, words, detail }) => (
          <li key={n} data-act={n}>
            <Button kind="link" onClick={() => runStore.seek(n)}>
              {words}
            </Button>{" "}
            {shortValue(detail)}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Written({ result: { artifacts, files } }: { result: RunResult }) {
  return (
    <>
      {artifacts.length > 0 && (
        <section aria-label="Artifacts of the result">
          <h3>Artifacts</h3>
          {artifacts.map(({ name, value }) => (
            <details key={name}>
              <summary className="mono" translate="no">
                {name}
              </summary>
              <Pre className="artifact">
                {typeof value === "string" ? value : JSON.stringify(value, null, 2)}
              </Pre>
            </details>
          ))}
        </section>
      )}
      {files.length > 0 && (
        <section aria-label="Changed files">
          <h3>Changed files</h3>
          <ul className="mono" translate="no">
            {files.map((path) => (
              <li key={path}>{path}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}
