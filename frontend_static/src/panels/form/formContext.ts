/** Context shared by all fields of a form. */

import { createContext, useContext } from "react";
import { session, type Finding, type Form, type Json, type Outcome } from "../../session";
import { showElement } from "../showElement";
import { fieldEdit } from "./fieldEdits";

export interface FormContext {
  form: Form;
  readOnly: boolean;
  findings: readonly Finding[];
  /**
   * Set the field at a pointer, or remove it with undefined. Resolves with an error message or
   * null.
   */
  commit(pointer: string, value: Json | undefined): Promise<string | null>;
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
    readOnly,
    findings,
    follow: showElement,
    async commit(pointer, value) {
      const edit = fieldEdit(form.element, form.values, pointer, value);
      return edit ? outcomeProblem(await session.edit([edit])) : null;
    },
  };
}

export function outcomeProblem(outcome: Outcome): string | null {
  return outcome.ok ? null : outcome.error.message;
}

/** Findings of this field, or of something inside it that has no field of its own. */
export function findingsAt(context: FormContext, pointer: string): Finding[] {
  const place = context.form.pointer + pointer;
  return context.findings.filter(
    (one) =>
      one.path === context.form.path &&
      (one.pointer === place || one.pointer.startsWith(`${place}/`)),
  );
}
