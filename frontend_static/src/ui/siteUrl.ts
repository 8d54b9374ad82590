/** The path of the server behind a proxy, such as `/signalbox`; "" without one. */
const prefix = globalThis.document?.documentElement?.dataset.path ?? "";

/** The address of a page or an operation: `/runs/` becomes `/signalbox/runs/`. */
export const siteUrl = (path: string): string => prefix + path;
