import { runCommand } from "../../session";
import { isFinished } from "../model/events";
import { reasonText } from "../model/reasonText";
import { useRunStore } from "../model/runStore";
import { answerLine } from "./answerText";
import { useRunResult } from "./useRunResult";

/** One line with the result of a run that has ended, and the way to the whole result. */
export function ResultLine() {
  const status = useRunStore((state) => state.status);
  return isFinished(status) ? <EndedRun /> : null;
}

function EndedRun() {
  const result = useRunResult();
  if (result === null) return null;
  const { ends, reason } = result;
  const answer = answerLine(result);
  const why = reasonText(reason);
  const outcome = result.status === "completed" ? answer || why : why || answer;
  return (
    <div className="result-line" data-result-line={result.status}>
      <b>{ends.length > 0 ? `Ended in ${ends.join(", ")}` : "Ended"}</b>
      <span className="truncate" title={outcome.slice(0, 1000)}>
        {outcome.slice(0, 400)}
      </span>
      <button type="button" className="button link" onClick={() => runCommand("result")}>
        Show the result
      </button>
    </div>
  );
}
