/** Context shared by all fields of a form. */

import { createContext, useContext } from "react";
import { session, type Finding, type Form, type Json, type Outcome } from "../../session";
import { showElement } from "../showElement";
import { commonFields } from "./commonFields";
import { fieldEdit, valueAt } from "./fieldEdits";

export interface SeveralForms {
  forms: readonly Form[];
  /** JSON pointers of the fields whose values differ. */
  different: ReadonlySet<string>;
  /** True if prompts or other texts of several lines differ, which the form leaves out. */
  differentTexts: boolean;
  /** Change the value of each state, such as the entry of a list, as one edit. */
  changeEach(pointer: string, change: Change): Promise<string | null>;
}

type Change = (before: Json | undefined) => Json | undefined;

export interface FormContext {
  form: Form;
  /** The elements of the form, before the pointer of a field. */
  place: string;
  /** Set if `form` has the common fields of several states. */
  several?: SeveralForms;
  readOnly: boolean;
  findings: readonly Finding[];
  /**
   * Set the field at a pointer, or remove it with undefined. Resolves with an error message or
   * null. With `typed`, changes are one undo step until the person pauses.
   */
  commit(pointer: string, value: Json | undefined, typed?: boolean): Promise<string | null>;
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
    commit: (pointer, value, typed) => changeEach([form], pointer, () => value, typed),
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
      changeEach: (pointer, change) => changeEach(forms, pointer, change),
    },
    readOnly,
    findings,
    follow: showElement,
    commit: (pointer, value, typed) => changeEach(forms, pointer, () => value, typed),
  };
}

async function changeEach(
  forms: readonly Form[],
  pointer: string,
  change: Change,
  typed = false,
): Promise<string | null> {
  const edits = forms.flatMap(
    ({ element, values }) =>
      fieldEdit(element, values, pointer, change(valueAt(values, pointer))) ?? [],
  );
  if (!edits.length) return null;
  const place = `${forms.map((form) => form.element).join(" ")}${pointer}`;
  return outcomeProblem(await (typed ? session.typed(place, edits) : session.edit(edits)));
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
