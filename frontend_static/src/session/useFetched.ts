import { useRequest } from "../ui/useRequest";
import { session } from "./session";

/** The last answer to a request, as `useRequest` sends it. An error is a notice. */
export const useFetched = <T>(key: readonly unknown[] | null, load: () => Promise<T>): T | null =>
  useRequest(key, load, { failed: session.notifyError }).value;
