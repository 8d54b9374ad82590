// Prose in TypeScript: comments, JSX text, strings that people read, and the names of tests.
// Reads {root, paths} as JSON from standard input and prints one JSON object a line.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const ts = createRequire(join(here, "../../frontend_static/package.json"))("typescript");
const TWO_WORDS = /[A-Za-z][A-Za-z']+[,.:;]? +[A-Za-z]/;
const ATTRIBUTES = /^(title|label|placeholder|alt|hint|help|text|message|empty|aria-(label|description|roledescription|valuetext))$/;
const SILENT = /^(className|class|id|key|type|role|style|href|src|d|viewBox|transform|data-.*|aria-(controls|labelledby|describedby))$/;

const { root, paths } = JSON.parse(readFileSync(0, "utf8"));
for (const path of paths) read(path, readFileSync(join(root, path), "utf8"));

function read(path, text) {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const isTest = /\.test\.tsx?$/.test(path);
  const comments = new Map();
  const emit = (position, kind, words) => {
    if (!words.trim()) return;
    const line = source.getLineAndCharacterOfPosition(position).line + 1;
    console.log(JSON.stringify({ path, line, kind, text: words }));
  };
  const visit = (node) => {
    if (node.kind !== ts.SyntaxKind.JsxText) {
      for (const range of [
        ...(ts.getLeadingCommentRanges(text, node.pos) ?? []),
        ...(ts.getTrailingCommentRanges(text, node.end) ?? []),
      ])
        comments.set(range.pos, range);
    }
    if (isTest) testName(node);
    else string(node);
    ts.forEachChild(node, visit);
  };
  const testName = (node) => {
    if (!ts.isCallExpression(node) || !/^(it|test|describe)\b/.test(node.expression.getText(source))) return;
    const [name] = node.arguments;
    if (name && ts.isStringLiteralLike(name)) emit(name.getStart(source), "test", name.text);
  };
  const string = (node) => {
    if (ts.isJsxElement(node) || ts.isJsxFragment(node)) {
      const texts = node.children.filter((child) => ts.isJsxText(child) && child.text.trim());
      if (texts.length > 0) {
        const first = node.children[0].getFullStart();
        const skipped = text.slice(first).match(/^\s*/)[0].length;
        emit(first + skipped, "ui", node.children.map(spoken).join("").trimStart());
      }
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) {
      if (isProse(node, node.text)) emit(node.getStart(source), "ui", node.text);
    } else if (ts.isTemplateExpression(node)) {
      const words = node.head.text + node.templateSpans.map((span) => "`x`" + span.literal.text).join("");
      if (isProse(node, words)) emit(node.getStart(source), "ui", words);
    }
  };
  const spoken = (child) => (ts.isJsxText(child) ? child.text : child.kind === ts.SyntaxKind.JsxExpression && literal(child) !== undefined ? literal(child) : "`x`");
  const literal = (child) => (child.expression && ts.isStringLiteral(child.expression) ? child.expression.text : undefined);
  const isProse = (node, words) => {
    const parent = node.parent;
    if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent) || ts.isLiteralTypeNode(parent)) return false;
    let up = parent;
    while (up && !ts.isJsxAttribute(up) && !ts.isStatement(up) && !ts.isJsxElement(up)) up = up.parent;
    if (up && ts.isJsxAttribute(up)) {
      const name = up.name.getText(source);
      if (SILENT.test(name)) return false;
      if (ATTRIBUTES.test(name)) return /[A-Za-z]{3}/.test(words);
    }
    if (ts.isPropertyAssignment(parent) && parent.initializer === node && ATTRIBUTES.test(parent.name.getText(source))) return true;
    return TWO_WORDS.test(words);
  };
  visit(source);
  let block;
  for (const range of [...comments.values()].sort((one, two) => one.pos - two.pos)) {
    const line = source.getLineAndCharacterOfPosition(range.pos).line;
    const words = text
      .slice(range.pos, range.end)
      .replace(/^\/\*+|\*+\/$/g, "")
      .split("\n")
      .map((one) => one.replace(/^\s*(\/\/+|\*+)?\s?/, "").trimEnd())
      .join("\n");
    const single = range.kind === ts.SyntaxKind.SingleLineCommentTrivia;
    if (block && single && block.single && line === block.last + 1) {
      block.words += `\n${words}`;
      block.last = line;
      continue;
    }
    if (block) emit(block.pos, "comment", block.words);
    block = { pos: range.pos, words, single, last: line };
  }
  if (block) emit(block.pos, "comment", block.words);
}
