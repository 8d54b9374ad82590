/** An error's message. */
export const errorText = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

/** An error with a hint about what to do. The hint is empty if the server gives none. */
export interface ErrorMessage {
  message: string;
  hint: string;
}

export const errorMessage = (error: unknown): ErrorMessage => ({
  message: errorText(error),
  hint: error instanceof Error && "hint" in error ? String(error.hint) : "",
});
