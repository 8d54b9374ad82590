import { lazy, Suspense, useMemo } from "react";
import type { PromptEditorProps } from "./PromptEditor";
import { type Problem } from "./problems";
import { changeConfig, useRole } from "./roleStore";
import { textAt, withText, type Config, type TextField } from "./promptConfig";
import { Problems } from "./Problems";
import { Pre } from "../ui/Pre";

const PromptEditor = lazy(() => import("./PromptEditor").catch(() => ({ default: PlainTextarea })));

const setText = (path: string, text: string) =>
  changeConfig((config) => withText(config, path, text));

/**
 * One text: its editor and its problems. `of` is the config that the problems refer to, which may
 * be slightly older.
 */
export function TextPane({
  place,
  problems,
  of,
}: {
  place: TextField;
  problems: readonly Problem[];
  of: Config | null;
}) {
  const config = useRole((state) => state.draft!.config);
  const readOnly = useRole((state) => state.role!.is_system);
  const variables = useRole((state) => state.variables);
  const jump = useRole((state) => state.jump);
  const epoch = useRole((state) => state.epoch);
  const value = textAt(config, place.path);
  const here = useMemo(
    () => problems.filter((one) => one.path === place.path),
    [problems, place.path],
  );
  const upToDate = of !== null && textAt(of, place.path) === value;
  return (
    <>
      <p className="help role-about">
        {place.about}{" "}
        {!readOnly && (
          <>
            <kbd>{"{{"}</kbd> or <kbd>Ctrl</kbd>+<kbd>Space</kbd> offers variables.
          </>
        )}
      </p>
      <div className="role-text">
        <Suspense fallback={<Pre className="code-loading">{value}</Pre>}>
          <PromptEditor
            key={epoch}
            path={place.path}
            label={`${place.group}: ${place.title}`}
            value={value}
            readOnly={readOnly}
            placeholder={
              place.path === "/templates/cron_task" ? "Blank: the ticket's task is used." : ""
            }
            variables={variables}
            problems={upToDate ? here : null}
            jump={jump}
            onChange={setText}
          />
        </Suspense>
      </div>
      <Problems problems={here} config={of ?? config} label={`Problems of ${place.title}`} />
    </>
  );
}

/** A plain text box, used if the editor's chunk cannot be loaded. */
function PlainTextarea({ path, label, value, readOnly, onChange }: PromptEditorProps) {
  return (
    <textarea
      className="input mono"
      aria-label={label}
      value={value}
      readOnly={readOnly}
      onChange={(event) => onChange(path, event.target.value)}
    />
  );
}
