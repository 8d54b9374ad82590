/** The preview of a role, requested from the server shortly after every change. */

import { useEffect, useRef, useState } from "react";
import { ApiError, call } from "../api/client";
import type { Json } from "../api/types";
import { errorText } from "../ui/errorText";
import { problemsOfRefusal, type Problem } from "./problems";
import { textFieldAt, type Config, type Preview } from "./promptConfig";

const PAUSE_MS = 200;

export interface PreviewRequest {
  id: number;
  task: string;
  mode: number | null;
  config: Config;
  context: Record<string, Record<string, Json>>;
}

export interface PreviewState {
  /** The last successful preview. */
  preview: Preview | null;
  /** The error if the current draft has no preview; else "". */
  refused: string;
  problems: readonly Problem[];
  /** The config that `problems` refers to. */
  of: Config | null;
  /** The current draft's preview is still loading. */
  waiting: boolean;
}

const NO_PREVIEW: PreviewState = {
  preview: null,
  refused: "",
  problems: [],
  of: null,
  waiting: true,
};

export function usePreview(request: PreviewRequest | null): PreviewState {
  const [preview, setPreview] = useState<PreviewState>(NO_PREVIEW);
  const last = useRef(preview);
  last.current = preview;
  const key = request && JSON.stringify(request);
  useEffect(() => {
    if (!request) return;
    setPreview((now) => ({ ...now, waiting: true }));
    const stop = new AbortController();
    const timer = setTimeout(
      () => {
        fetchPreview(request, last.current, stop.signal).then(setPreview, () => undefined);
      },
      last.current.of ? PAUSE_MS : 0,
    );
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // `request` is a new object on every render; `key` changes with its content.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [key]);
  return preview;
}

async function fetchPreview(
  { id, task, mode, config, context }: PreviewRequest,
  before: PreviewState,
  signal: AbortSignal,
): Promise<PreviewState> {
  try {
    const body = { task_type: task, mode, prompt_config: config, context };
    const preview = await call<Preview>("POST", `agent-roles/${id}/preview/`, { body, signal });
    return { preview, refused: "", problems: preview.problems, of: config, waiting: false };
  } catch (error) {
    if (signal.aborted) throw error;
    const refused = errorText(error);
    if (!(error instanceof ApiError) || error.status !== 422)
      return { ...before, refused, waiting: false };
    const problems = problemsOfRefusal(error, before.problems, before.of ?? config, config);
    return {
      preview: before.preview,
      refused: summary(problems) || refused,
      problems,
      of: config,
      waiting: false,
    };
  }
}

/** The first error with the title of its text, and the number of others. */
function summary(problems: readonly Problem[]): string {
  const [first, ...more] = problems.filter((one) => one.level === "error");
  if (!first) return "";
  const place = textFieldAt(first.path);
  const rest = more.length > 0 ? ` And ${more.length} more.` : "";
  return `${place ? `${place.title}: ` : ""}${first.message}${rest}`;
}
