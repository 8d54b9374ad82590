import { useEffect, useState } from "react";
import { session, useSession, type Form } from "../../session";
import { errorText } from "../../ui/errorText";

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
  const [fetched, setFetched] = useState<FetchedForms>({ of: "", forms: [], problems: [] });
  useEffect(() => {
    if (revision === 0 || unsent || of === "") return;
    let active = true;
    const names = of.split("\n");
    void Promise.allSettled(names.map((name) => session.fetchForm(name))).then((results) => {
      if (!active) return;
      const forms = results.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
      const problems = results.flatMap((one, index) =>
        one.status === "rejected" ? [`${idOf(names[index]!)}: ${errorText(one.reason)}`] : [],
      );
      setFetched({ of, forms, problems });
    });
    return () => {
      active = false;
    };
  }, [of, revision, unsent]);
  return { ...fetched, stale: fetched.of !== of };
}

export const idOf = (element: string): string => element.slice(element.indexOf(":") + 1);
