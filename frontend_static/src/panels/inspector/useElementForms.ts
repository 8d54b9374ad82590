import { session, useSession, type Form } from "../../session";
import { errorText } from "../../ui/errorText";
import { useRequest } from "../../ui/useRequest";

interface FetchedForms {
  /** The elements that the forms belong to, as one text. */
  of: string;
  forms: Form[];
  /** Errors of the elements without a form, one line each. */
  problems: string[];
}

/** The forms of several elements at the newest revision. The older ones stay until these load. */
export function useElementForms(elements: readonly string[]): FetchedForms & { stale: boolean } {
  const revision = useSession((state) => state.revision);
  const unsent = useSession((state) => state.unsent > 0);
  const of = elements.join("\n");
  const asks = revision !== 0 && !unsent && of !== "";
  const { value } = useRequest(asks ? [of, revision] : null, async (): Promise<FetchedForms> => {
    const results = await Promise.allSettled(elements.map((name) => session.fetchForm(name)));
    const forms = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const problems = results.flatMap((one, index) =>
      one.status === "rejected" ? [`${idOf(elements[index]!)}: ${errorText(one.reason)}`] : [],
    );
    return { of, forms, problems };
  });
  const fetched = value ?? NOTHING;
  return { ...fetched, stale: fetched.of !== of };
}
const NOTHING: FetchedForms = { of: "", forms: [], problems: [] };

export const idOf = (element: string): string => element.slice(element.indexOf(":") + 1);
