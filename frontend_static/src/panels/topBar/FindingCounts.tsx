import { CircleCheck } from "lucide-react";
import { useSession, type Level } from "../../session";
import { panels } from "../panelState";
import { LEVEL_ICON, LEVELS, countFindings, countLabel } from "../findingLevels";
import { Button } from "../../ui/Button";

/** The number of findings per level. A click lists them. */
export function FindingCounts() {
  const findings = useSession((state) => state.findings);
  const ready = useSession((state) => state.phase === "ready" && state.page !== "run");
  if (!ready) return null;
  const count = (level: Level) => countFindings(findings, level);
  const levels = LEVELS.filter((level) => count(level) > 0);
  const summary =
    levels.map((level) => countLabel(count(level), level)).join(", ") || "No findings";
  return (
    <Button
      kind="quiet small finding-counts"
      aria-label={`${summary}. Show the findings`}
      title={`${summary} (Shift+F)`}
      onClick={() => panels.showDrawer("findings")}
    >
      {levels.length === 0 && <CircleCheck className="icon level-ok" aria-hidden />}
      {levels.map((level) => {
        const Icon = LEVEL_ICON[level];
        return (
          <span key={level} className={`row tight level-${level}`} aria-hidden>
            <Icon className="icon" /> {count(level)}
          </span>
        );
      })}
      <span className="visually-hidden" aria-live="polite">
        {summary}
      </span>
    </Button>
  );
}
