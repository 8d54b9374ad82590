/** The files at a public address: of one file, or of a repository or folder on GitHub. */

export type Tree = Record<string, Uint8Array>;

/** Files that can be part of a pack. */
const OF_PACKS = /\.(json|ya?ml|md|js|toml|txt)$/i;
const MOST_FILES = 300;
const GITHUB =
  /^https:\/\/github\.com\/([\w.-]+)\/([\w.-]+?)(?:\.git)?(?:\/(tree|blob)\/([^/]+)\/?(.*))?\/?$/;

/** Throws an Error with a message for the user. */
export async function fetchFiles(address: string): Promise<Tree> {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol))
    throw new Error("This is not an address. It begins with https://.");
  const [, owner, repository, kind, branch = "HEAD", path = ""] = GITHUB.exec(url.href) ?? [];
  if (!owner || !repository) return { [nameOf(url)]: await read(url.href) };
  const raw = `https://raw.githubusercontent.com/${owner}/${repository}/${branch}/`;
  if (kind === "blob") return { [decodeURIComponent(path)]: await read(raw + path) };
  const api = `https://api.github.com/repos/${owner}/${repository}/git/trees/${branch}?recursive=1`;
  const { tree } = JSON.parse(new TextDecoder().decode(await read(api))) as {
    tree: { path: string; type: string }[];
  };
  const folder = path ? `${decodeURIComponent(path).replace(/\/$/, "")}/` : "";
  const paths = tree
    .filter((one) => one.type === "blob" && one.path.startsWith(folder) && OF_PACKS.test(one.path))
    .map((one) => one.path);
  if (paths.length > MOST_FILES)
    throw new Error(
      `${paths.length} files here may be parts of packs; this page fetches at most ${MOST_FILES}. Give the address of the folder of the pack.`,
    );
  const read1 = async (one: string): Promise<[string, Uint8Array]> => [
    one,
    await read(raw + one.split("/").map(encodeURIComponent).join("/")),
  ];
  return Object.fromEntries(await Promise.all(paths.map(read1)));
}

const nameOf = (url: URL): string =>
  decodeURIComponent(url.pathname.split("/").pop() || "pack.json");

async function read(address: string): Promise<Uint8Array> {
  let response: Response;
  try {
    response = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
  } catch {
    throw new Error(
      `${address} cannot be read from this page: it does not exist, you are offline, or its server does not permit other pages. Download the file and drop it here.`,
    );
  }
  if (!response.ok) throw new Error(`${address} answered with ${response.status}.`);
  return new Uint8Array(await response.arrayBuffer());
}
