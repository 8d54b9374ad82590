/** Groups files by folder, without the folders that all of them share. */

export interface Folder<File> {
  /** Path below the shared folders; "" for files directly in them. */
  path: string;
  files: { name: string; file: File }[];
}

export function groupByFolder<File extends { path: string }>(
  files: readonly File[],
): Folder<File>[] {
  const shared = sharedFolder(files.map((file) => file.path));
  const folders = new Map<string, Folder<File>>();
  for (const file of files) {
    const rest = file.path.slice(shared.length);
    const cut = rest.lastIndexOf("/") + 1;
    const path = rest.slice(0, cut).replace(/\/$/, "");
    const folder = folders.get(path) ?? { path, files: [] };
    folder.files.push({ name: rest.slice(cut), file });
    folders.set(path, folder);
  }
  return [...folders.values()].sort((a, b) => a.path.localeCompare(b.path));
}

/** Ends with a slash; "" if the files share no folder. */
export function sharedFolder(paths: readonly string[]): string {
  const [first = "", ...rest] = paths;
  let shared = first.slice(0, first.lastIndexOf("/") + 1);
  while (shared && !rest.every((path) => path.startsWith(shared)))
    shared = shared.slice(0, shared.slice(0, -1).lastIndexOf("/") + 1);
  return shared;
}

/** The end of a long path in whole folders, because the ends distinguish folders. */
export function shortenPath(path: string, maxLength = 32): string {
  if (path.length <= maxLength) return path;
  const names = path.split("/");
  let tail = names.pop() ?? "";
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    if (tail.length + name.length + 3 > maxLength) break;
    tail = `${name}/${tail}`;
  }
  return `…/${tail}`;
}
