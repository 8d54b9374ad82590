/** Loads the chunk of the role editor or the template editor on pages that have one. */
export function roleEditors(): void {
  const role = document.querySelector<HTMLElement>("[data-role-editor]");
  if (role) void import("../roles/main").then(({ mount }) => mount(role));
  const template = document.querySelector<HTMLFormElement>("[data-template-form]");
  if (template) void import("../roles/templateEditor").then(({ mount }) => mount(template));
}
