/**
 * The store of the role being edited: the saved role, the draft, and the requests that change it.
 */

import { createStore, useStore } from "zustand";
import { ApiError, get, post, tagged } from "../api/client";
import type { components } from "../api/schema";
import { errorText } from "../ui/errorText";
import { dropTyped, keepTyped, keptTyped } from "../ui/typedTexts";
import { problemsOfRefusal, type Problem } from "./problems";
import {
  differences,
  draftOf,
  textFieldAt,
  jsonEqual,
  withoutBlankItems,
  type Config,
  type Draft,
  type Revision,
  type Role,
  type Variable,
} from "./promptConfig";

export type Section = string;
export const ABOUT = "about";
export const MEMORY = "memory";

/** The section of the editor to which a pointer's problems belong. */
export const sectionOf = (path: string): Section =>
  textFieldAt(path) ? path : path.startsWith("/memory_profile") ? MEMORY : ABOUT;

export interface RoleState {
  role: Role | null;
  etag: string;
  draft: Draft | null;
  variables: readonly Variable[];
  section: Section;
  /** Increases when texts are replaced from outside, so that editors start again. */
  epoch: number;
  /** Scroll to this offset of the shown text. A new `n` scrolls again. */
  jump: { at: number; n: number } | null;
  saving: boolean;
  /** The last error of loading, saving or changing the role. */
  error: string;
  /** The problems of a refused save. The preview reports them again while they last. */
  refused: { problems: readonly Problem[]; of: Draft } | null;
  /** The version that was saved elsewhere meanwhile. */
  theirs: { role: Role; etag: string } | null;
  dialog: "history" | "reset" | null;
}

const INITIAL_STATE: RoleState = {
  role: null,
  etag: "",
  draft: null,
  variables: [],
  section: "/system_prompt",
  epoch: 0,
  jump: null,
  saving: false,
  error: "",
  refused: null,
  theirs: null,
  dialog: null,
};
export const store = createStore<RoleState>(() => INITIAL_STATE);
export const useRole = <S>(select: (state: RoleState) => S): S => useStore(store, select);

export const isDirty = ({ role, draft }: RoleState): boolean =>
  role !== null && draft !== null && draft !== savedDraft(role) && !jsonEqual(draft, draftOf(role));

const draftByRole = new WeakMap<Role, Draft>();
/** One draft object per saved role, so that an untouched draft is recognised by identity. */
function savedDraft(role: Role): Draft {
  const draft = draftByRole.get(role) ?? draftOf(role);
  draftByRole.set(role, draft);
  return draft;
}

const rolePath = (id: number, rest = "") => `agent-roles/${id}/${rest}`;
const reportError = (error: unknown) =>
  store.setState({ error: errorWithHint(error), saving: false });

function errorWithHint(error: unknown): string {
  const words = errorText(error);
  return error instanceof ApiError
    ? `${words} ${error.hint}`.trim()
    : `${words} What you wrote is still here.`;
}

/** The draft of a role as it is kept in the browser, with the version that it was made from. */
interface KeptDraft {
  draft: Draft;
  etag: string;
}

const draftKey = (role: Role) => `role ${role.id}`;

/** Take over a saved role, with the kept draft if there is one, and otherwise drop the draft. */
function replaceRole(role: Role, etag: string, kept: KeptDraft | null = null): void {
  store.setState({
    role,
    // A draft of an older version is saved only after its author has seen the newer one.
    etag: kept?.etag ?? etag,
    draft: kept?.draft ?? savedDraft(role),
    epoch: store.getState().epoch + 1,
    theirs: null,
    refused: null,
    error: "",
  });
}

export async function openRole(id: number): Promise<void> {
  try {
    const [{ value, etag }, variables] = await Promise.all([
      tagged<Role>("GET", rolePath(id)),
      get<Variable[]>("agent-roles/variables/"),
    ]);
    store.setState({ variables });
    replaceRole(value, etag, keptTyped<KeptDraft>(draftKey(value)));
  } catch (error) {
    reportError(error);
  }
}

/** The draft is kept from the first key until it is saved or dropped. */
store.subscribe((state) => {
  const { role, draft, etag } = state;
  if (!role || !draft || role.is_system) return;
  if (isDirty(state)) keepTyped(draftKey(role), { draft, etag } satisfies KeptDraft);
  else dropTyped(draftKey(role));
});

export function changeDraft(part: Partial<Draft>): void {
  const { draft } = store.getState();
  if (draft) store.setState({ draft: { ...draft, ...part } });
}

export const changeConfig = (by: (config: Config) => Config): void => {
  const { draft } = store.getState();
  if (draft) changeDraft({ config: by(draft.config) });
};

export const showSection = (section: Section): void => store.setState({ section, jump: null });

/** Scroll to a problem. */
export function showProblem(problem: Problem, place: number): void {
  store.setState({
    section: sectionOf(problem.path),
    jump: { at: place, n: (store.getState().jump?.n ?? 0) + 1 },
  });
}

/**
 * Save the whole draft. If the role was saved elsewhere meanwhile, save nothing and show both
 * versions.
 */
export async function save(): Promise<void> {
  const state = store.getState();
  const { role, draft, etag } = state;
  if (!role || !draft || state.saving || role.is_system || !isDirty(state)) return;
  store.setState({ saving: true, error: "", refused: null });
  const { config, ...fields } = draft;
  try {
    const body = { ...fields, prompt_config: withoutBlankItems(config) };
    const saved = await tagged<Role>("PATCH", rolePath(role.id), { body, etag });
    const current = store.getState().draft;
    // Text typed during the request is not saved yet.
    const mine = current === draft ? savedDraft(saved.value) : current;
    store.setState({
      role: saved.value,
      etag: saved.etag,
      draft: mine,
      saving: false,
      theirs: null,
    });
  } catch (error) {
    if (error instanceof ApiError && error.status === 412) return void (await fetchTheirs(role.id));
    if (error instanceof ApiError && error.status < 500) reportRefusal(error, draft);
    reportError(error);
  }
}

function reportRefusal(error: ApiError, draft: Draft): void {
  const problems = problemsOfRefusal(error, [], draft.config, draft.config);
  store.setState({ refused: { problems, of: draft } });
  if (problems[0]) showSection(sectionOf(problems[0].path));
}

/** Fetch the version that was saved elsewhere. */
async function fetchTheirs(id: number): Promise<void> {
  try {
    const { value, etag } = await tagged<Role>("GET", rolePath(id));
    store.setState({ theirs: { role: value, etag }, saving: false });
  } catch (error) {
    reportError(error);
  }
}

export function takeTheirs(): void {
  const { theirs } = store.getState();
  if (theirs) replaceRole(theirs.role, theirs.etag);
}

export function saveOverTheirs(): void {
  const { theirs } = store.getState();
  if (!theirs) return;
  store.setState({ role: theirs.role, etag: theirs.etag, theirs: null });
  void save();
}

export const revisions = async (id: number): Promise<Revision[]> =>
  (await get<components["schemas"]["RoleRevisionPage"]>(rolePath(id, "revisions/"), { limit: 200 }))
    .results;

export const revision = (id: number, number: number) =>
  get<components["schemas"]["RoleRevisionWhole"]>(rolePath(id, `revisions/${number}/`));

/** Throws if the server refuses. */
export async function restore(id: number, number: number): Promise<void> {
  await post(rolePath(id, `revisions/${number}/restore/`));
  dropTyped(`role ${id}`);
  await openRole(id);
}

/** The system role from which a copy was made, and the copy's saved config. */
export async function fetchResetSource(
  role: Role,
): Promise<{ source: Role; etag: string; saved: Config }> {
  const [source, mine] = await Promise.all([
    get<Role>(rolePath(role.source_role_id ?? 0)),
    tagged<components["schemas"]["Prompt"]>("GET", rolePath(role.id, "prompt/")),
  ]);
  return { source, etag: mine.etag, saved: mine.value.prompt_config };
}

/** Throws if the server refuses, for example because the role has changed. */
export async function reset(id: number, etag: string): Promise<void> {
  await tagged("POST", rolePath(id, "reset/"), { body: {}, etag });
  dropTyped(`role ${id}`);
  await openRole(id);
}

/** The differences between two configs of a role. */
export function configsDiffer(role: Role, before: Config, after: Config) {
  const base = draftOf(role);
  return differences({ ...base, config: before }, { ...base, config: after });
}
