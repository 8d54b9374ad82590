/** The common fields of several selected states. */

import { Copy, Trash2 } from "lucide-react";
import { useMemo, type ReactNode } from "react";
import { isFixed, runCommand, session, shallow, useSession } from "../../session";
import { IconButton } from "../../ui/IconButton";
import { FormProvider, severalContext } from "../form/formContext";
import { Properties } from "../form/NestedFields";
import { idOf, useElementForms } from "./useElementForms";
import { Button } from "../../ui/Button";

/** The number of states up to which their forms are fetched. */
const MOST_STATES = 50;

/** The selected states, if there are several and the inspector shows one of the selection. */
export function useSelectedStates(): readonly string[] {
  return useSession(({ selection, element, draft }) => {
    if (selection.size < 2 || !selection.has(element) || draft) return NONE;
    const states = [...selection].filter((one) => one.startsWith("state:"));
    return states.length > 1 ? states : NONE;
  }, shallow);
}
const NONE: readonly string[] = [];

interface Props {
  states: readonly string[];
  /** Without a heading, because it is part of another panel. */
  bare: boolean;
  /** The last buttons of the heading. */
  buttons: ReactNode;
}

export function StatesForm({ states, bare, buttons }: Props) {
  const readOnly = useSession(isFixed);
  const lockedBy = useSession((state) => state.lockedBy);
  const others = useSession((state) => state.selection.size - states.length);
  const many = states.length > MOST_STATES;
  const { of, forms, problems, stale } = useElementForms(many ? NONE : states);
  return (
    <>
      {!bare && (
        <div className="pane-head">
          <h2 className="pane-title">{states.length} states selected</h2>
          <span className="spacer" />
          {!readOnly && (
            <>
              <IconButton
                label="Duplicate the selection (Ctrl+D)"
                onClick={() => runCommand("duplicate")}
                Icon={Copy}
              />
              <IconButton
                label="Delete the selection (Delete)"
                onClick={() => runCommand("remove")}
                Icon={Trash2}
              />
            </>
          )}
          {buttons}
        </div>
      )}
      <div className="pane-body" tabIndex={-1} inert={stale && !many}>
        {lockedBy && <p className="notice hint">{lockedBy}</p>}
        <StateNames states={states} others={others} />
        {many ? (
          <p className="help">Select at most {MOST_STATES} states to edit their common fields.</p>
        ) : problems.length > 0 ? (
          <Unreadable problems={problems} />
        ) : (
          forms.length > 0 && <CommonFields key={of} forms={forms} readOnly={readOnly} />
        )}
      </div>
    </>
  );
}

const MOST_NAMES = 12;

/** The names of the states. A click leaves only one selected. */
function StateNames({ states, others }: { states: readonly string[]; others: number }) {
  const hidden = states.length - MOST_NAMES;
  return (
    <>
      <ul className="plain selected-states" aria-label="Selected states">
        {states.slice(0, MOST_NAMES).map((element) => (
          <li key={element}>
            <Button
              kind="small mono"
              translate="no"
              title={`Select only ${idOf(element)}`}
              onClick={() => session.select([element], element)}
            >
              <span className="truncate">{idOf(element)}</span>
            </Button>
          </li>
        ))}
        {hidden > 0 && <li className="help">and {hidden} more</li>}
      </ul>
      {others > 0 && (
        <p className="help">
          {others === 1 ? "One transition is" : `${others} transitions are`} selected too. The
          fields below are those of the states.
        </p>
      )}
    </>
  );
}

function Unreadable({ problems }: { problems: readonly string[] }) {
  return (
    <div className="notice warning">
      <div>
        <p>The common fields cannot be shown, because not every state can be read.</p>
        {problems.map((problem) => (
          <p key={problem}>{problem}</p>
        ))}
      </div>
    </div>
  );
}

interface FieldsProps {
  forms: ReturnType<typeof useElementForms>["forms"];
  readOnly: boolean;
}

function CommonFields({ forms, readOnly }: FieldsProps) {
  const findingsOf = useSession((state) => state.findingsOf);
  const context = useMemo(() => {
    const findings = forms.flatMap((form) => findingsOf.get(form.element) ?? []);
    return severalContext(forms, readOnly, findings);
  }, [forms, readOnly, findingsOf]);
  const { schema, values } = context.form;
  const texts = context.several?.differentTexts && (
    <p className="help" data-different-texts>
      Prompts, other long texts and JSON that differ are edited one by one.
    </p>
  );
  if (Object.keys((schema as { properties?: object }).properties ?? {}).length === 0)
    return (
      texts || <p className="help">These states have no field in common. Select one to edit it.</p>
    );
  return (
    <FormProvider value={context}>
      {!readOnly && <p className="help">A change applies to all selected states.</p>}
      {texts}
      <Properties schema={schema} pointer="" value={values} />
    </FormProvider>
  );
}
