/**
 * Files of a build that several entries share. A browser has six connections to a server, so the
 * first drawing needs few files; the pages around the canvas load none of React.
 */

import { resolve } from "node:path";

interface Modules {
  getModuleInfo(id: string): { importedIds: readonly string[] } | null;
}

/** `app` and `site` are the sources of the entries. */
export function sharedChunks(app: string, site: string) {
  const inApp = importedBy(resolve(import.meta.dirname, app));
  const inSite = importedBy(resolve(import.meta.dirname, site));
  return [
    {
      debugName: "common",
      name: (id: string, of: Modules) => (inApp(id, of) && inSite(id, of) ? "common" : null),
      minShareCount: 2,
    },
    { name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ },
    {
      debugName: "parts",
      name: (id: string, of: Modules) => (inApp(id, of) ? "parts" : null),
      minShareCount: 2,
    },
  ];
}

/** True for modules that an entry imports, directly or through others. */
function importedBy(entry: string): (id: string, modules: Modules) => boolean {
  let ids: Set<string> | null = null;
  return (id, modules) => {
    ids ??= closure(entry, modules);
    return ids.has(id);
  };
}

function closure(entry: string, modules: Modules): Set<string> {
  const ids = new Set([entry]);
  for (const id of ids)
    for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) ids.add(imported);
  return ids;
}
