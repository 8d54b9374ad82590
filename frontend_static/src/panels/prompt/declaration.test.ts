import { describe, expect, it } from "vitest";
import type { Form, PromptField } from "../../session";
import { declaration } from "./declaration";

const form = { element: "state:a", values: { names: ["issue"] } } as unknown as Form;
const field = { declarations: "/names", declares_objects: false } as PromptField;

describe("declaration of a variable", () => {
  it("adds a name to the list", () => {
    expect(declaration(form, field, "branch")).toEqual({
      type: "set_field",
      element: "state:a",
      field: "/names",
      value: ["issue", "branch"],
    });
  });

  it("makes the list, with objects where the format has them", () => {
    const objects = { declarations: "/variables", declares_objects: true } as PromptField;
    expect(declaration(form, objects, "tone")).toMatchObject({
      value: [{ name: "tone", type: "string", required: false }],
    });
  });
});
