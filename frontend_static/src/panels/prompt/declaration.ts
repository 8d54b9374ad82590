/** The edit that declares a variable of a prompt. Pure. */

import type { Edit, Form, PromptField } from "../../session";
import { valueAt } from "../form/fieldEdits";

export function declaration(form: Form, field: PromptField, name: string): Edit {
  const listed = valueAt(form.values, field.declarations);
  const entry = field.declares_objects ? { name, type: "string", required: false } : name;
  return {
    type: "set_field",
    element: form.element,
    field: field.declarations,
    value: [...(Array.isArray(listed) ? listed : []), entry],
  };
}
