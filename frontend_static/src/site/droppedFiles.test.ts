import { expect, test } from "vitest";
import { readEntries } from "./droppedFiles";

interface Fake {
  [name: string]: Fake | string;
}

/** A folder entry like the browser's: children come in batches of two, then an empty batch. */
function entry(name: string, content: Fake | string, parent = ""): FileSystemEntry {
  const fullPath = `${parent}/${name}`;
  if (typeof content === "string") {
    const file = (done: (file: File) => void) => done(new File([content], name));
    return { name, fullPath, isDirectory: false, isFile: true, file } as unknown as FileSystemEntry;
  }
  const children = Object.entries(content).map(([child, inside]) => entry(child, inside, fullPath));
  const createReader = () => {
    let at = 0;
    return {
      readEntries: (done: (batch: FileSystemEntry[]) => void) =>
        done(children.slice(at, (at += 2))),
    };
  };
  return {
    name,
    fullPath,
    isDirectory: true,
    isFile: false,
    createReader,
  } as unknown as FileSystemEntry;
}

test("a dropped folder keeps its paths, for any number of batches", async () => {
  const folder = entry("pack", {
    "a.json": "1",
    "b.md": "2",
    "c.md": "3",
    prompts: { "d.md": "4" },
  });
  const files = await readEntries([folder, entry("single.json", "5")]);
  expect(files.map((one) => one.path).sort()).toEqual([
    "pack/a.json",
    "pack/b.md",
    "pack/c.md",
    "pack/prompts/d.md",
    "single.json",
  ]);
  expect(await files[0]!.file.text()).toBe("5");
});

test("folders of tools are left out", async () => {
  const folder = entry("pack", {
    ".git": { config: "x" },
    node_modules: { "a.js": "x" },
    "a.json": "1",
  });
  expect((await readEntries([folder])).map((one) => one.path)).toEqual(["pack/a.json"]);
});

test("a folder with too many files is refused with a message", async () => {
  const many = Object.fromEntries(Array.from({ length: 5001 }, (_, index) => [`${index}.md`, ""]));
  await expect(readEntries([entry("home", many)])).rejects.toThrow("more than 5000 files");
});
