import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8");

/** The custom properties of a theme. */
const tokens = (dark: boolean): Record<string, string> =>
  Object.fromEntries(
    [...css.matchAll(/(--[\w-]+): (?:light-dark\((#\w+), (#\w+)\)|(#\w+));/g)].map(
      ([, name, light, night, both]) => [name!, both ?? (dark ? night! : light!)],
    ),
  );

const LIGHT = tokens(false);
const DARK = tokens(true);

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5]
    .map((at) => parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [
    number,
    number,
  ];
  return (light + 0.05) / (dark + 0.05);
}

const TEXT: [string, string][] = [
  ["--text", "--bg"],
  ["--text", "--surface"],
  ["--text", "--surface-3"],
  ["--text-2", "--bg"],
  ["--text-2", "--surface"],
  ["--text-2", "--surface-2"],
  ["--text-2", "--accent-soft"],
  ["--accent", "--surface"],
  ["--accent", "--surface-2"],
  ["--accent", "--accent-soft"],
  ["--on-accent", "--accent-fill"],
  ["--on-accent", "--accent-fill-2"],
  ...["error", "warning", "hint", "ok"].flatMap((level): [string, string][] => [
    [`--${level}`, "--surface"],
    [`--${level}`, "--surface-2"],
    [`--${level}`, `--${level}-soft`],
  ]),
];

const NAMES = ["variable", "fragment", "run", "tool", "unknown"].map((kind) => `--name-${kind}`);
for (const name of NAMES) TEXT.push([name, "--surface"], [name, "--surface-2"]);

const LINES: [string, string][] = [
  ["--line-strong", "--bg"],
  ["--line-strong", "--surface"],
  ...Array.from({ length: 8 }, (_, index): [string, string][] => [
    [`--kind-${index + 1}`, "--bg"],
    [`--kind-${index + 1}`, "--surface"],
  ]).flat(),
];

for (const [theme, set] of [
  ["light", LIGHT],
  ["dark", DARK],
] as const) {
  test.each(TEXT)(`in ${theme}, text in %s can be read on %s`, (text, ground) => {
    expect(contrast(set[text]!, set[ground]!)).toBeGreaterThanOrEqual(4.5);
  });

  test(`in ${theme}, each kind of name in a prompt has a colour of its own`, () => {
    expect(new Set(NAMES.map((name) => set[name])).size).toBe(NAMES.length);
  });

  test.each(LINES)(`in ${theme}, lines and icons in %s can be seen on %s`, (line, ground) => {
    expect(contrast(set[line]!, set[ground]!)).toBeGreaterThanOrEqual(3);
  });
}

/** The token that the first rule of this selector gives to this property in a canvas stylesheet. */
function tokenOf(file: string, selector: string, property: string): string {
  const sheet = readFileSync(new URL(`../canvas/near/${file}`, import.meta.url), "utf8");
  const start = sheet.indexOf(`\n${selector} {`);
  const rule = sheet.slice(start, sheet.indexOf("}", start));
  const token = new RegExp(`\\s${property}:[^;]*var\\((--[\\w-]+)\\)`).exec(rule)?.[1];
  if (start < 0 || !token) throw new Error(`${selector} in ${file} has no token for ${property}`);
  return token;
}

test.each([
  ["the edge of a card", "card.css", ".state-card", "border"],
  ["an arrow", "arrow.css", ".arrow", "--ink"],
])("in dark, %s can be seen on the ground of the canvas", (_, file, selector, property) => {
  const line = DARK[tokenOf(file, selector, property)]!;
  expect(contrast(line, DARK["--bg"]!)).toBeGreaterThanOrEqual(3);
});
