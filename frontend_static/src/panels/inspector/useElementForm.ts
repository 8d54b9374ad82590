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
  const readOnly = useSession((state) => state.readOnly);
  // The server does not know a state whose name is still being typed.
  const draft = useSession((state) => `state:${state.draft?.id}` === element);
  const [fetched, setFetched] = useState<FetchedForm>({ of: "", form: null, problem: "" });
  useEffect(() => {
    if (pack === null || version === 0 || draft) return;
    let active = true;
    whenConfirmed(element)
      .then(() => session.fetchForm(element))
      .then(
        (form) => active && setFetched({ of: element, form, problem: "" }),
        (error: unknown) =>
          active && setFetched({ of: element, form: null, problem: errorText(error) }),
      );
    return () => {
      active = false;
    };
  }, [element, version, pack, readOnly, draft]);
  return { ...fetched, stale: fetched.of !== element };
}

/** The server knows a new state or transition only after its edit is saved. */
function whenConfirmed(element: string): Promise<void> {
  const drawn = session.state.unsent > 0 && /^(state|transition):/.test(element);
  return drawn ? session.whenSaved() : Promise.resolve();
}
