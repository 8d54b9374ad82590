import { Plus, X } from "lucide-react";
import { useRef } from "react";
import { countBelow, type Problem } from "./problems";
import { changeDraft, changeConfig, useRole } from "./roleStore";
import { listAt, LISTS, withList, type ListName } from "./promptConfig";
import { Problems } from "./Problems";
import { keyOf } from "../ui/keys";
import { FieldLabel } from "../ui/FieldLabel";
import { Button } from "../ui/Button";

const COLOUR = /^#[0-9a-f]{6}$/i;

/** Name, description and colour of a role. */
export function AboutFields({ problems }: { problems: readonly Problem[] }) {
  const draft = useRole((state) => state.draft!);
  const readOnly = useRole((state) => state.role!.is_system);
  const here = problems.filter((one) =>
    ["/name", "/description", "/color"].some((path) => one.path === path),
  );
  return (
    <div className="role-fields">
      <FieldLabel label="Name">
        <input
          className="input"
          maxLength={100}
          value={draft.name}
          readOnly={readOnly}
          autoComplete="off"
          aria-invalid={countBelow(problems, "/name").errors > 0 || undefined}
          onChange={(event) => changeDraft({ name: event.target.value })}
        />
      </FieldLabel>
      <FieldLabel
        label="Description"
        help="Other roles read it where their prompts name context.roles."
      >
        <textarea
          rows={4}
          maxLength={10_000}
          value={draft.description}
          readOnly={readOnly}
          onChange={(event) => changeDraft({ description: event.target.value })}
        />
      </FieldLabel>
      <FieldLabel kind="colour" label="Colour" help="Marks the states that the role is bound to.">
        <input
          type="color"
          value={COLOUR.test(draft.color) ? draft.color : "#6b7280"}
          disabled={readOnly}
          onChange={(event) => changeDraft({ color: event.target.value })}
        />
      </FieldLabel>
      <Problems problems={here} config={draft.config} label="Problems of name and colour" />
    </div>
  );
}

/** The role's memory profile. */
export function MemoryFields({ problems }: { problems: readonly Problem[] }) {
  const config = useRole((state) => state.draft!.config);
  const here = problems.filter((one) => one.path.startsWith("/memory_profile"));
  return (
    <div className="role-fields">
      <p className="help">
        It follows the developer message as a <code translate="no">&lt;memory-profile&gt;</code>{" "}
        block, word for word, unless all three lists are empty.
      </p>
      {LISTS.map((list) => (
        <ItemList
          key={list.name}
          name={list.name}
          title={list.title}
          about={list.about}
          items={listAt(config, list.name)}
        />
      ))}
      <Problems problems={here} config={config} label="Problems of the memory profile" />
    </div>
  );
}

function ItemList({
  name,
  title,
  about,
  items,
}: {
  name: ListName;
  title: string;
  about: string;
  items: readonly string[];
}) {
  const readOnly = useRole((state) => state.role!.is_system);
  const box = useRef<HTMLFieldSetElement>(null);
  const set = (next: string[]) => changeConfig((config) => withList(config, name, next));
  const focus = (index: number) =>
    requestAnimationFrame(() =>
      box.current?.querySelectorAll<HTMLElement>("input")[Math.max(0, index)]?.focus(),
    );
  const add = (index: number) => {
    set(items.toSpliced(index, 0, ""));
    focus(index);
  };
  const drop = (index: number) => {
    set(items.toSpliced(index, 1));
    focus(index - 1);
  };
  return (
    <fieldset className="items" ref={box}>
      <legend>
        {title} <span className="muted">{about}</span>
      </legend>
      {items.map((item, index) => (
        <div key={index} className="row">
          <input
            className="input"
            aria-label={`${title} ${index + 1}`}
            value={item}
            readOnly={readOnly}
            onChange={(event) => set(items.with(index, event.target.value))}
            onKeyDown={(event) => {
              if (readOnly) return;
              if (keyOf(event) === "Enter") add(index + 1);
              else if (keyOf(event) === "Backspace" && item === "") drop(index);
              else return;
              event.preventDefault();
            }}
          />
          {!readOnly && (
            <Button
              kind="quiet small icon-only"
              aria-label={`Remove ${title} ${index + 1}`}
              onClick={() => drop(index)}
            >
              <X className="icon" aria-hidden />
            </Button>
          )}
        </div>
      ))}
      {!readOnly && (
        <Button kind="small" onClick={() => add(items.length)} aria-label={`Add to ${title}`}>
          <Plus className="icon" aria-hidden /> Add
        </Button>
      )}
      {readOnly && items.length === 0 && <p className="help">Nothing.</p>}
    </fieldset>
  );
}
