/** A strict XML parser for tests. It throws at the first error, with its place. */

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  /** The text inside, with the text of inner elements. */
  text: string;
  /** The element itself and all inside, in the order of the document. */
  all: XmlElement[];
}

const TAG = /<(\/?)([A-Za-z][\w:-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>|([^<]+)/y;
const DECLARATION = /^<\?xml [^?]*\?>\s*/;
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g;
const ENTITY = /&(?:#(\d+)|(amp|lt|gt|quot|apos));/g;
const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const UNFIT =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

export function readXml(source: string): XmlElement {
  if (UNFIT.test(source)) throw new Error("a character that XML cannot hold");
  const xml = source.replace(DECLARATION, "").trimEnd();
  const open: XmlElement[] = [];
  let root: XmlElement | null = null;
  TAG.lastIndex = 0;
  while (TAG.lastIndex < xml.length) {
    const at = TAG.lastIndex;
    const match = TAG.exec(xml);
    if (!match || (root && !open.length)) throw new Error(`not XML: ${xml.slice(at, at + 60)}`);
    const [, closing, name, attributes = "", empty, words] = match;
    if (words !== undefined) for (const one of open) one.text += plain(words);
    else if (closing) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> closes nothing, at ${at}`);
    } else {
      const element = makeElement(name as string, attributes);
      root ??= element;
      for (const one of open) one.all.push(element);
      if (!empty) open.push(element);
    }
  }
  if (!root || open.length) throw new Error(`not closed: ${open.map((one) => one.name).join()}`);
  return root;
}

function makeElement(name: string, source: string): XmlElement {
  const attributes: Record<string, string> = {};
  for (const [, key, value] of source.matchAll(ATTRIBUTE)) {
    if ((key as string) in attributes) throw new Error(`${key} appears twice at ${name}`);
    attributes[key as string] = plain(value as string);
  }
  const element: XmlElement = { name, attributes, text: "", all: [] };
  element.all.push(element);
  return element;
}

function plain(words: string): string {
  if (words.replace(ENTITY, "").includes("&")) throw new Error(`a bare & in ${words}`);
  return words.replace(ENTITY, (_, code?: string, name?: string) =>
    code ? String.fromCodePoint(Number(code)) : (NAMED[name ?? ""] ?? ""),
  );
}
