import "./upstream.css";
import { X } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import {
  errorMessage,
  session,
  useSession,
  type ErrorMessage,
  type PullChoice,
  type PullConflict,
} from "../../session";
import { ErrorNotice } from "../../ui/ErrorNotice";
import { useKept } from "../../ui/useKept";
import { groupConflicts, titleOf, type ConflictGroup } from "./conflictGroups";
import { upstreams, type Choices, type Decision as Decisions } from "./upstreamStore";
import { Button } from "../../ui/Button";
import { Pre } from "../../ui/Pre";

/**
 * The conflicts of a pull or of an opened folder by state, next to the canvas. Nothing is saved
 * before every conflict has a decision.
 */
export function ConflictPanel({ plan }: { plan: Decisions }) {
  const selected = useSession((state) => state.element);
  const pack = useSession((state) => state.pack);
  const [choices, setChoices, drop] = useKept<Choices>(
    `conflicts ${pack} ${plan.key}`,
    "Decisions about conflicts",
    () => ({}),
  );
  const [problem, setProblem] = useState<ErrorMessage | null>(null);
  const [busy, setBusy] = useState(false);
  const groups = useMemo(() => groupConflicts(plan.conflicts), [plan]);
  const open = plan.conflicts.filter((conflict) => !choices[conflict.id]).length;
  const first = groups[0]?.element ?? "";
  useEffect(() => {
    if (/^(state|transition):/.test(first)) session.focus(first);
  }, [first]);

  const choose = (id: string, choice: PullChoice) => setChoices({ ...choices, [id]: choice });
  const send = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await plan.send(choices);
      drop();
      return;
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setBusy(false);
    // The pack, its branch or its folder may have changed: then the conflicts are other ones.
    const now = await plan.again().catch(() => plan);
    if (now?.key === plan.key) return;
    drop();
    setChoices({});
    if (now) upstreams.decide(now);
    else upstreams.endDecision();
  };
  return (
    <section className="conflict-panel" role="dialog" aria-label="Conflicts" data-conflicts={open}>
      <div className="head">
        <h2>Conflicts</h2>
        <Button
          kind="quiet small icon-only"
          aria-label="Close the conflicts"
          title="Close. Nothing is saved."
          onClick={upstreams.endDecision}
        >
          <X className="icon" aria-hidden />
        </Button>
      </div>
      <div className="body">
        {problem && <ErrorNotice {...problem} />}
        {groups.map((group) => (
          <Group
            key={group.element}
            group={group}
            selected={group.element !== "" && group.element === selected}
            choices={choices}
            choose={choose}
          />
        ))}
      </div>
      <div className="foot">
        <span role="status" className="help start">
          {open === 0
            ? "All conflicts are decided."
            : open === 1
              ? "One conflict is undecided."
              : `${open} conflicts are undecided.`}
        </span>
        <Button kind="primary" disabled={open > 0 || busy} onClick={() => void send()}>
          {plan.labels[busy ? 1 : 0]}
        </Button>
      </div>
    </section>
  );
}

interface GroupProps {
  group: ConflictGroup;
  selected: boolean;
  choices: Choices;
  choose: (id: string, choice: PullChoice) => void;
}

/** All conflicts of one state. Its title shows the state on the canvas. */
function Group({ group, selected, choices, choose }: GroupProps) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (selected) box.current?.scrollIntoView({ block: "nearest" });
  }, [selected]);
  const title = titleOf(group.element);
  const drawn = /^(state|transition):/.test(group.element);
  return (
    <section
      ref={box}
      className={selected ? "conflict-group selected" : "conflict-group"}
      aria-label={title}
      data-conflict-group={group.element}
      onFocus={() => drawn && !selected && session.focus(group.element)}
    >
      {drawn ? (
        <Button kind="quiet small conflict-title" onClick={() => session.focus(group.element)}>
          {title}
        </Button>
      ) : (
        <h3>{title}</h3>
      )}
      {group.conflicts.map((conflict) => (
        <Decision
          key={conflict.id}
          conflict={conflict}
          choice={choices[conflict.id]}
          choose={(choice) => choose(conflict.id, choice)}
        />
      ))}
    </section>
  );
}

interface DecisionProps {
  conflict: PullConflict;
  choice: PullChoice | undefined;
  choose: (choice: PullChoice) => void;
}

/** Both versions of one place, and the choice between them. */
function Decision({ conflict, choice, choose }: DecisionProps) {
  const edited = choice !== undefined && choice.text !== undefined;
  const deleted = conflict.whole_file ? "The file is deleted." : "This is deleted.";
  const options = [
    ["mine", "Mine"],
    ["theirs", "Theirs"],
    ...(conflict.can_take_both ? [["both", "Both"]] : []),
  ] as ["mine" | "theirs" | "both", string][];
  return (
    <fieldset className="conflict-decision" data-conflict-id={conflict.id}>
      <legend className="mono" translate="no">
        {conflict.path}:{conflict.line} {conflict.value}
      </legend>
      <Side title="Mine" text={conflict.mine} deleted={deleted} />
      <Side title="Theirs" text={conflict.theirs} deleted={deleted} />
      <div className="row wrap">
        {options.map(([take, label]) => (
          <label key={take} className="check">
            <input
              type="radio"
              name={conflict.id}
              checked={choice?.take === take}
              onChange={() => choose({ take })}
            />{" "}
            {label}
          </label>
        ))}
        <label className="check">
          <input
            type="radio"
            name={conflict.id}
            checked={edited}
            onChange={() => choose({ text: conflict.mine ?? conflict.theirs ?? "" })}
          />{" "}
          Edited
        </label>
      </div>
      {edited && (
        <textarea
          className="input mono"
          aria-label="Edited text"
          spellCheck={false}
          rows={Math.min(12, (choice.text ?? "").split("\n").length + 1)}
          value={choice.text}
          onChange={(event) => choose({ text: event.target.value })}
        />
      )}
    </fieldset>
  );
}

function Side({ title, text, deleted }: { title: string; text: string | null; deleted: string }) {
  return (
    <div className="conflict-side">
      <h3>{title}</h3>
      {text === null ? (
        <p className="help">{deleted}</p>
      ) : (
        <Pre aria-label={title} tabIndex={0}>
          {text || " "}
        </Pre>
      )}
    </div>
  );
}
