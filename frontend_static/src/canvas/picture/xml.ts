/** Text and attributes of an XML document, escaped. */

// XML has no control characters, lone surrogates or non-characters.
const UNFIT =
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

export const escapeXml = (text: string): string =>
  text.replace(UNFIT, "\ufffd").replace(/[&<>"'\n\r\t]/g, (letter) => ENTITIES[letter] ?? letter);

/** Attribute values by name. An undefined value leaves its attribute out. */
export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** An element. `content` is markup and is not escaped. */
export function element(name: string, attributes: Attributes, content = ""): string {
  let tag = `<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined)
      tag += ` ${key}="${typeof value === "number" ? short(value) : escapeXml(value)}"`;
  return content ? `${tag}>${content}</${name}>` : `${tag}/>`;
}

export const text = (attributes: Attributes, words: string): string =>
  element("text", attributes, escapeXml(words));

export const titled = (title: string): string => element("title", {}, escapeXml(title));

/** At most two decimals, which is more than a screen shows. */
const short = (value: number): string => String(Math.round(value * 100) / 100);
