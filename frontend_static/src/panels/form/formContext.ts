/** Context shared by all fields of a form. */

import { createContext, useContext } from "react";
import { session, type Finding, type Form, type Json, type Outcome } from "../../session";
import { showElement } from "../showElement";
import { commonFields } from "./commonFields";
import { fieldEdit, valueAt, withValue } from "./fieldEdits";

export interface SeveralForms {
  forms: readonly Form[];
  /** JSON pointers of the fields whose values differ. */
  different: ReadonlySet<string>;
  /** True if prompts or other texts of several lines differ, which the form leaves out. */
  differentTexts: boolean;
}

/**
 * A value, or a function of the newest one, which has the changes that are on their way. Undefined
 * removes the field.
 */
type Change = Json | undefined | ((before: Json | undefined) => Json | undefined);

export const changed = (change: Change, before: Json | undefined): Json | undefined =>
  typeof change === "function" ? change(before) : change;

export interface FormContext {
  form: Form;
  /** The elements of the form, before the pointer of a field. */
  place: string;
  /** Set if `form` has the common fields of several states. */
  several?: SeveralForms;
  readOnly: boolean;
  findings: readonly Finding[];
  /**
   * Change the field at a pointer, of each element as one edit. Resolves with an error message or
   * null. With `typed`, changes are one undo step until the person pauses.
   */
  commit(pointer: string, change: Change, typed?: boolean): Promise<string | null>;
  follow(element: string): void;
}

const Context = createContext<FormContext | null>(null);

export const FormProvider = Context.Provider;

export function useForm(): FormContext {
  const context = useContext(Context);
  if (!context) throw new Error("A field is outside of a form.");
  return context;
}

/** The context of a form whose fields become edits of the pack. */
export function formContext(
  form: Form,
  readOnly: boolean,
  findings: readonly Finding[],
): FormContext {
  return {
    form,
    place: form.element,
    readOnly,
    findings,
    follow: showElement,
    commit: (pointer, change, typed) => changeEach([form], pointer, change, typed),
  };
}

/** The context of the common fields of several states. A change is one edit of all of them. */
export function severalContext(
  forms: readonly Form[],
  readOnly: boolean,
  findings: readonly Finding[],
): FormContext {
  const { schema, values, different, differentTexts } = commonFields(forms);
  return {
    form: { ...forms[0]!, schema: schema as Form["schema"], values, prompt: null },
    place: forms.map((form) => form.element).join(" "),
    several: {
      forms,
      different,
      differentTexts: differentTexts.size > 0,
    },
    readOnly,
    findings,
    follow: showElement,
    commit: (pointer, change, typed) => changeEach(forms, pointer, change, typed),
  };
}

/** Values with the edits that were sent since a form was fetched. The next fetch has them all. */
const sentValues = new WeakMap<Form, Form["values"]>();

async function changeEach(
  forms: readonly Form[],
  pointer: string,
  change: Change,
  typed = false,
): Promise<string | null> {
  const edits = forms.flatMap((form) => {
    const values = sentValues.get(form) ?? form.values;
    const value = changed(change, valueAt(values, pointer));
    sentValues.set(form, withValue(values, pointer, value) as Form["values"]);
    return fieldEdit(form.element, values, pointer, value) ?? [];
  });
  if (!edits.length) return null;
  const place = `${forms.map((form) => form.element).join(" ")}${pointer}`;
  const outcome = await (typed ? session.typed(place, edits) : session.edit(edits));
  if (!outcome.ok) for (const form of forms) sentValues.delete(form);
  return outcomeProblem(outcome);
}

/** True if the states of a form have different values at a pointer. */
export const isDifferent = (context: FormContext, pointer: string): boolean =>
  context.several?.different.has(pointer) ?? false;

export const DIFFERENT = "Different values";

export function outcomeProblem(outcome: Outcome): string | null {
  return outcome.ok ? null : outcome.error.message;
}

/** Findings of this field, or of something inside it that has no field of its own. */
export function findingsAt(context: FormContext, pointer: string): Finding[] {
  const forms = context.several?.forms ?? [context.form];
  const isAt = (one: Finding, { path, pointer: base }: Form) =>
    one.path === path &&
    (one.pointer === base + pointer || one.pointer.startsWith(`${base + pointer}/`));
  return context.findings.filter((one) => forms.some((form) => isAt(one, form)));
}
