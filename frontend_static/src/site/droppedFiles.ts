/** The files of a drop, including those in folders, each with its path. */

export interface DroppedFile {
  path: string;
  file: File;
}

const MAX_FILES = 5000;
const SKIPPED: ReadonlySet<string> = new Set([
  ".git",
  "node_modules",
  "__pycache__",
  ".venv",
  ".DS_Store",
]);

/** Call this during the drop event, because the browser clears the items afterwards. */
export function droppedFiles(data: DataTransfer): Promise<DroppedFile[]> {
  const entries = [...data.items]
    .map((item) => item.webkitGetAsEntry())
    .filter((entry) => entry !== null);
  if (entries.length === 0)
    return Promise.resolve([...data.files].map((file) => ({ path: file.name, file })));
  return readEntries(entries);
}

/** Throws an Error if a folder has too many files. */
export async function readEntries(entries: readonly FileSystemEntry[]): Promise<DroppedFile[]> {
  const files: DroppedFile[] = [];
  const open = [...entries];
  for (let entry = open.shift(); entry; entry = open.shift()) {
    if (SKIPPED.has(entry.name)) continue;
    if (entry.isDirectory) open.push(...(await children(entry as FileSystemDirectoryEntry)));
    else files.push(await fileOf(entry as FileSystemFileEntry));
    if (files.length > MAX_FILES)
      throw new Error(
        `The dropped items contain more than ${MAX_FILES} files. Drop the folder of the pack itself.`,
      );
  }
  return files;
}

/** A reader returns entries in batches and an empty batch at the end. */
async function children(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const batch = await new Promise<FileSystemEntry[]>((done, failed) =>
      reader.readEntries(done, failed),
    );
    if (batch.length === 0) return all;
    all.push(...batch);
  }
}

async function fileOf(entry: FileSystemFileEntry): Promise<DroppedFile> {
  const file = await new Promise<File>((done, failed) => entry.file(done, failed));
  return { path: entry.fullPath.replace(/^\//, ""), file };
}
