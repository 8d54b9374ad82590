import { editorOffset, type Problem } from "./problems";
import { showProblem } from "./roleStore";
import { textAt, type Config } from "./promptConfig";

export function Problems({
  problems,
  config,
  label,
}: {
  problems: readonly Problem[];
  config: Config;
  label: string;
}) {
  return (
    <ul className="plain problems" aria-label={label} aria-live="polite">
      {problems.map((one, index) => (
        <li key={index} data-problem={one.code} data-level={one.level}>
          <span className={`level-${one.level}`}>{one.level}</span>{" "}
          <button
            type="button"
            className="problem-text"
            onClick={() => showProblem(one, editorOffset(textAt(config, one.path), one.start))}
          >
            {one.message}
          </button>
        </li>
      ))}
    </ul>
  );
}
