/**
 * Libraries with native code, as JavaScript and WebAssembly. Python calls them through
 * the module `signalbox_page`; see `scripts/demo/replacements`.
 */

import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  shouldInterruptAfterDeadline,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSWASMModule,
} from "quickjs-emscripten-core";
import quickjsUrl from "@jitl/quickjs-wasmfile-release-sync/wasm?url";
import { RE2JS } from "re2js";
import { Language, Parser, type TreeCursor } from "web-tree-sitter";
import treeSitterUrl from "web-tree-sitter/web-tree-sitter.wasm?url";
import grammarUrl from "tree-sitter-javascript/tree-sitter-javascript.wasm?url";

/** Load everything. The result is the module `signalbox_page`. */
export async function loadNatives() {
  const location = { wasmLocation: new URL(quickjsUrl, self.location.href).href };
  const [quickjs] = await Promise.all([
    newQuickJSWASMModuleFromVariant(newVariant(variant, location)),
    Parser.init({ locateFile: () => treeSitterUrl }),
  ]);
  const parser = new Parser();
  parser.setLanguage(await Language.load(grammarUrl));
  return {
    linear: { compile: compileLinear, escape: (text: string) => RE2JS.quote(text) },
    quickjs: { context: () => new Context(quickjs) },
    syntax: { parse: (text: string) => flatTree(parser, text) },
  };
}

function compileLinear(pattern: string): [RE2JS | null, string] {
  try {
    return [RE2JS.compile(pattern), ""];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return [null, message.replace(/^error parsing regexp: /, "").replaceAll("`", "")];
  }
}

type Result = ["error", string] | ["function", number] | ["value", unknown];

/** An interpreter with functions that are numbered. */
class Context {
  private readonly context: QuickJSContext;
  private readonly functions: QuickJSHandle[] = [];
  private milliseconds = 0;

  constructor(module: QuickJSWASMModule) {
    this.context = module.newContext();
  }

  limitMemory(bytes: number): void {
    this.context.runtime.setMemoryLimit(bytes);
  }

  limitStack(bytes: number): void {
    this.context.runtime.setMaxStackSize(bytes);
  }

  limitTime(seconds: number): void {
    this.milliseconds = seconds * 1000;
  }

  evaluate(code: string): Result {
    return this.limited(() => this.context.evalCode(`(${code})`));
  }

  call(number: number, ...texts: string[]): Result {
    const inputs = texts.map((text) => this.context.newString(text));
    const result = this.limited(() =>
      this.context.callFunction(this.functions[number]!, this.context.undefined, ...inputs),
    );
    for (const input of inputs) input.dispose();
    return result;
  }

  job(): Result {
    this.startTime();
    const result = this.context.runtime.executePendingJobs(1);
    if (!result.error) return ["value", result.value > 0];
    const message = this.message(result.error);
    result.error.dispose();
    return ["error", message];
  }

  dispose(): void {
    for (const one of this.functions) one.dispose();
    this.context.dispose();
  }

  private startTime(): void {
    const deadline = Date.now() + this.milliseconds;
    this.context.runtime.setInterruptHandler(shouldInterruptAfterDeadline(deadline));
  }

  private limited(work: () => ReturnType<QuickJSContext["evalCode"]>): Result {
    this.startTime();
    const result = work();
    if (result.error) {
      const message = this.message(result.error);
      result.error.dispose();
      return ["error", message];
    }
    if (this.context.typeof(result.value) === "function")
      return ["function", this.functions.push(result.value) - 1];
    const value: unknown = this.context.dump(result.value);
    result.value.dispose();
    return ["value", value];
  }

  private message(error: QuickJSHandle): string {
    const value: unknown = this.context.dump(error);
    if (!value || typeof value !== "object") return String(value);
    const { name, message } = value as { name?: string; message?: string };
    return `${name ?? "Error"}: ${message ?? ""}`;
  }
}

const NAMED = 1;
const MISSING = 2;
const HAS_ERROR = 4;

/** Names, and seven numbers for each node in source order; see `scripts/demo/replacements/tree_sitter.py`. */
function flatTree(parser: Parser, text: string): [string[], number[]] {
  const tree = parser.parse(text);
  if (!tree) throw new Error("The parser gave up.");
  const names: string[] = [];
  const numbers: number[] = [];
  const known = new Map<string, number>();
  const numberOf = (name: string | null): number => {
    if (name === null) return -1;
    let number = known.get(name);
    if (number === undefined) known.set(name, (number = names.push(name) - 1));
    return number;
  };
  const cursor = tree.walk();
  addNodes(cursor, -1, numbers, numberOf);
  cursor.delete();
  tree.delete();
  return [names, numbers];
}

const WIDTH = 7;
const NEXT = 5;

function addNodes(
  cursor: TreeCursor,
  top: number,
  numbers: number[],
  numberOf: (name: string | null) => number,
): void {
  let parent = top;
  const end = (node: number) => (numbers[node * WIDTH + NEXT] = numbers.length / WIDTH);
  for (;;) {
    const here = numbers.length / WIDTH;
    const node = cursor.currentNode;
    const flags =
      (node.isNamed ? NAMED : 0) | (node.isMissing ? MISSING : 0) | (node.hasError ? HAS_ERROR : 0);
    const field = numberOf(cursor.currentFieldName);
    numbers.push(numberOf(node.type), field, node.startIndex, node.endIndex, parent, 0, flags);
    if (cursor.gotoFirstChild()) {
      parent = here;
      continue;
    }
    end(here);
    while (!cursor.gotoNextSibling()) {
      if (!cursor.gotoParent()) return;
      end(parent);
      parent = numbers[parent * WIDTH + 4]!;
    }
  }
}
