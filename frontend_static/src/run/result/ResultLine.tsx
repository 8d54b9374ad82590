import { runCommand } from "../../session";
import { AskButton } from "../assistant/AskButton";
import { isFinished } from "../model/events";
import { reasonText } from "../model/reasonText";
import { useRunStore } from "../model/runStore";
import { answerLine } from "./answerText";
import { Fixes } from "./Fixes";
import { KeepCaseButton } from "./KeepCaseButton";
import { useRunResult } from "./useRunResult";
import { Button } from "../../ui/Button";

/**
 * One line with the result of a run that has ended, the way to the whole result, and the ways to
 * mend a run that failed or is paused by a fault.
 */
export function ResultLine() {
  const status = useRunStore((state) => state.status);
  return isFinished(status) || status === "paused" ? <StoppedRun /> : null;
}

function StoppedRun() {
  const result = useRunResult();
  if (result === null) return null;
  const { ends, reason, status, fixes } = result;
  const ended = isFinished(status);
  if (!ended && fixes.length === 0) return null;
  const answer = answerLine(result);
  const why = reasonText(reason);
  const outcome = status === "completed" ? answer || why : why || answer;
  const where = ends.length > 0 ? ` in ${ends.join(", ")}` : "";
  return (
    <div className="result-line" data-result-line={status}>
      <b>{`${ended ? "Ended" : "Paused"}${where}`}</b>
      <span className="truncate" title={outcome.slice(0, 1000)}>
        {outcome.slice(0, 400)}
      </span>
      <Fixes fixes={fixes} />
      {ended && status !== "completed" && (
        <AskButton
          request="This run failed. Find the reason in the pack, and propose edits that mend it."
          about={`${status}${where}: ${outcome.slice(0, 4000)}`}
        />
      )}
      {ended && <KeepCaseButton result={result} />}
      {ended && (
        <Button kind="link" onClick={() => runCommand("result")}>
          Show the result
        </Button>
      )}
    </div>
  );
}
