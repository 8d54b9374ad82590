import { idPrefix, session, type Edit, type Form } from "../../session";
import { outcomeProblem } from "../form/formContext";
import { useDraft } from "../form/useDraft";
import { Problem } from "../form/Problem";

export function RenameField({ form }: { form: Form }) {
  const key = form.element.slice(form.element.indexOf(":") + 1);
  const level = session.state.fullGraph.states.get(key)?.level ?? "";
  const prefix = form.element.startsWith("state:") ? idPrefix(level) : "";
  const saved = form.element.startsWith("transition:")
    ? (key.split("|")[1] ?? "")
    : key.slice(prefix.length);
  const label = form.element.startsWith("transition:") ? "Label" : "Id";
  const { inputProps, problem, clear } = useDraft({
    place: `${form.element} name`,
    label,
    saved,
    apply: async (typed) => {
      const name = typed.trim();
      if (!name || name === saved) {
        clear(saved);
        return null;
      }
      const outcome = await session.edit([renameEdit(form.element, key, prefix + name)]);
      if (outcome.ok) selectRenamed(form.element, prefix + name);
      return outcomeProblem(outcome);
    },
  });
  return (
    <div className="field">
      <input
        className="input bare mono form-title"
        aria-label={label}
        data-rename={form.element}
        {...inputProps()}
      />
      <Problem text={problem} />
    </div>
  );
}

function renameEdit(element: string, key: string, name: string): Edit {
  if (element.startsWith("state:")) return { type: "rename_state", id: key, new_id: name };
  if (element.startsWith("transition:")) return { type: "relabel", transition: key, label: name };
  return { type: "rename_object", element, new_key: name };
}

/** Keep the renamed element selected. */
function selectRenamed(element: string, name: string): void {
  const [kind = "", rest = ""] = [
    element.slice(0, element.indexOf(":")),
    element.slice(element.indexOf(":") + 1),
  ];
  if (kind === "transition") {
    const [source, , ...target] = rest.split("|");
    const renamed = `transition:${source}|${name}|${target.join("|")}`;
    session.select([renamed], renamed);
  } else if (kind === "state") session.select([`state:${name}`], `state:${name}`);
  else session.inspect(`${kind}:${name}`);
}
