import { useEffect, useState } from "react";
import { errorText } from "../../ui/errorText";
import { session, useSession, type Form } from "../../session";

interface FetchedForm {
  /** The element that the form belongs to. */
  of: string;
  form: Form | null;
  problem: string;
}

/**
 * The form of an element at the newest revision. The previous form stays while the next one loads;
 * `stale` is true meanwhile. A form inside the form of a `parent` is fetched after each fetch of
 * that: at a new revision the parent may name another element.
 */
export function useElementForm(element: string, parent?: Form): FetchedForm & { stale: boolean } {
  const revision = useSession((state) => state.revision);
  const version = parent ?? revision;
  const pack = useSession((state) => state.pack);
  // While edits wait, an answer would bring the text before them back into a field.
  const unsent = useSession((state) => state.unsent > 0);
  const readOnly = useSession((state) => state.readOnly);
  // The server does not know a state whose name is still being typed.
  const draft = useSession((state) => `state:${state.draft?.id}` === element);
  const [fetched, setFetched] = useState<FetchedForm>({ of: "", form: null, problem: "" });
  useEffect(() => {
    if (pack === null || version === 0 || draft || unsent) return;
    let active = true;
    const isNewest = () => active && session.state.unsent === 0;
    session.fetchForm(element).then(
      (form) => isNewest() && setFetched({ of: element, form, problem: "" }),
      (error: unknown) =>
        isNewest() && setFetched({ of: element, form: null, problem: errorText(error) }),
    );
    return () => {
      active = false;
    };
  }, [element, version, pack, readOnly, draft, unsent]);
  return { ...fetched, stale: fetched.of !== element };
}
