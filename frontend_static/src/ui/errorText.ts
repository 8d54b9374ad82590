/** What went wrong, as text for a person. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
