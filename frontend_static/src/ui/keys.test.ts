import { describe, expect, it } from "vitest";
import { combinationOf, keyOf, sendsForm, type KeyPress } from "./keys";

const press = (key: string, code: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  code,
  keyCode: 0,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  target: null,
  ...more,
});
const ctrl = { ctrlKey: true };

describe("the key of a press", () => {
  it.each([
    ["Russian", "я", "л", "в"],
    ["Greek", "ζ", "κ", "δ"],
    ["Hebrew", "ז", "ל", "ג"],
    ["Arabic", "ئ", "ن", "ي"],
  ])("is the Latin one on a %s layout", (_layout, z, k, d) => {
    expect(combinationOf(press(z, "KeyZ", ctrl))).toBe("Ctrl+Z");
    expect(combinationOf(press(z, "KeyZ", { ...ctrl, shiftKey: true }))).toBe("Ctrl+Shift+Z");
    expect(combinationOf(press(k, "KeyK", { metaKey: true }))).toBe("Ctrl+K");
    expect(keyOf(press(d, "KeyD"))).toBe("d");
  });

  it("follows a Latin layout, also one with other letters at a key", () => {
    expect(combinationOf(press("z", "KeyY", ctrl))).toBe("Ctrl+Z");
    expect(combinationOf(press("w", "KeyZ", ctrl))).toBe("Ctrl+W");
    expect(keyOf(press("ö", "Semicolon"))).toBe("ö");
    expect(keyOf(press("à", "Digit0"))).toBe("à");
  });

  it("is the sign of a US keyboard where another script has a letter", () => {
    expect(keyOf(press("х", "BracketLeft"))).toBe("[");
    expect(keyOf(press("ё", "Backquote"))).toBe("`");
  });

  it("is the letter with Alt, although some systems send another character", () => {
    expect(combinationOf(press("œ", "KeyQ", { altKey: true }))).toBe("Alt+Q");
  });

  it.each([
    ["isComposing", { isComposing: true }],
    ["isComposing of React", { nativeEvent: { isComposing: true } }],
    ["the key code of Safari", { keyCode: 229 }],
  ])("is none while an input method composes: %s", (_how, more) => {
    for (const key of ["Enter", "Escape", "z"]) {
      expect(keyOf(press(key, "KeyZ", more))).toBe("");
      expect(combinationOf(press(key, "KeyZ", { ...ctrl, ...more }))).toBe("");
    }
    expect(sendsForm(press("Enter", "Enter", { ...ctrl, ...more }))).toBe(false);
  });

  it("has Shift for letters, digits and named keys only", () => {
    const shift = { shiftKey: true };
    expect(combinationOf(press("?", "Slash", shift))).toBe("?");
    expect(combinationOf(press("!", "Digit1", shift))).toBe("Shift+1");
    expect(combinationOf(press("F8", "F8", shift))).toBe("Shift+F8");
    expect(combinationOf(press("Enter", "Enter", ctrl))).toBe("Ctrl+Enter");
  });
});
