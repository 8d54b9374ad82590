/** What every field of one form shares. */

import { createContext, useContext } from "react";
import type { Finding, Form, Json, Outcome } from "../../session";

export interface FormContext {
  form: Form;
  readOnly: boolean;
  findings: readonly Finding[];
  /** Give the field at a pointer a value, or take it out with undefined. The problem as a sentence. */
  commit(pointer: string, value: Json | undefined): Promise<string | null>;
  follow(element: string): void;
}

const Context = createContext<FormContext | null>(null);

export const FormProvider = Context.Provider;

export function useForm(): FormContext {
  const context = useContext(Context);
  if (!context) throw new Error("A field stands outside of a form.");
  return context;
}

export function outcomeProblem(outcome: Outcome): string | null {
  return outcome.ok ? null : outcome.error.message;
}

/** Findings of exactly this field or of something inside it that has no field of its own. */
export function findingsAt(context: FormContext, pointer: string): Finding[] {
  const place = context.form.pointer + pointer;
  return context.findings.filter(
    (one) =>
      one.path === context.form.path &&
      (one.pointer === place || one.pointer.startsWith(`${place}/`)),
  );
}
