/**
 * The problems of an answer under the JSON Schema of its request, for a mark in the inspector. Pure.
 * The run itself is decided by the server's validation. Patterns and formats are not checked here: a
 * pack's regular expression can take any time.
 */

type Schema = Readonly<Record<string, unknown>>;

export interface SchemaCheck {
  /** For example `/notes: is missing`. Empty if the value is valid. */
  problems: string[];
  /** Keywords of the schema that were not checked, sorted. */
  unchecked: string[];
}

/** Schemas can refer to themselves, and values can be large. */
const MAX_STEPS = 20_000;
const MAX_DEPTH = 100;

const ANNOTATIONS: ReadonlySet<string> = new Set(
  "$schema $id $defs $comment definitions title description default examples deprecated readOnly writeOnly".split(
    " ",
  ),
);

export function schemaCheck(schema: unknown, value: unknown): SchemaCheck {
  const checker = new Checker(schema);
  const problems = checker.problems(schema, value, "");
  return { problems, unchecked: [...checker.unchecked].sort() };
}

class Checker {
  readonly unchecked = new Set<string>();
  private steps = 0;
  private depth = 0;

  constructor(private readonly root: unknown) {}

  problems(schema: unknown, value: unknown, at: string): string[] {
    this.steps += 1;
    if (this.steps > MAX_STEPS || this.depth > MAX_DEPTH) {
      this.unchecked.add("the rest");
      return [];
    }
    if (schema === false) return [`${at || "/"}: is not allowed`];
    if (!isObject(schema)) return [];
    this.depth += 1;
    const found = Object.keys(schema).flatMap((one) => this.check(one, schema, value, at));
    this.depth -= 1;
    return found;
  }

  private check(keyword: string, schema: Schema, value: unknown, at: string): string[] {
    const rule = schema[keyword];
    const fails = (bad: boolean, problem: string) => (bad ? [`${at || "/"}: ${problem}`] : []);
    const size = sizeOf(value);
    switch (keyword) {
      case "$ref":
        return this.problems(this.target(String(rule)), value, at);
      case "type": {
        const types = [rule].flat().map(String);
        return fails(!types.some((type) => hasType(value, type)), `is not ${types.join(" or ")}`);
      }
      case "enum":
        return fails(!list(rule).some((one) => same(one, value)), "is none of the listed values");
      case "const":
        return fails(!same(rule, value), `is not ${JSON.stringify(rule)}`);
      case "required":
        if (!isObject(value)) return [];
        return list(rule).flatMap((name) =>
          Object.hasOwn(value, String(name)) ? [] : `${at}/${String(name)}: is missing`,
        );
      case "properties":
        if (!isObject(value) || !isObject(rule)) return [];
        return Object.entries(rule).flatMap(([name, inner]) =>
          Object.hasOwn(value, name) ? this.problems(inner, value[name], `${at}/${name}`) : [],
        );
      case "additionalProperties":
        if (!isObject(value)) return [];
        if ("patternProperties" in schema) return [];
        return Object.keys(value).flatMap((name) =>
          Object.hasOwn(schema.properties ?? {}, name)
            ? []
            : this.problems(rule, value[name], `${at}/${name}`),
        );
      case "items":
        if (!Array.isArray(value) || "prefixItems" in schema) return [];
        return value.flatMap((one, index) => this.problems(rule, one, `${at}/${index}`));
      case "minItems":
      case "minLength":
        return fails(appliesTo(keyword, value) && size < Number(rule), `has less than ${rule}`);
      case "maxItems":
      case "maxLength":
        return fails(appliesTo(keyword, value) && size > Number(rule), `has more than ${rule}`);
      case "minimum":
        return fails(typeof value === "number" && value < Number(rule), `is below ${rule}`);
      case "maximum":
        return fails(typeof value === "number" && value > Number(rule), `is above ${rule}`);
      case "allOf":
        return list(rule).flatMap((one) => this.problems(one, value, at));
      case "anyOf":
        return fails(this.fitting(rule, value, at) === 0, "fits none of the alternatives");
      case "oneOf":
        return fails(this.fitting(rule, value, at) !== 1, "does not fit exactly one alternative");
      default:
        if (!ANNOTATIONS.has(keyword)) this.unchecked.add(keyword);
        return [];
    }
  }

  private fitting(schemas: unknown, value: unknown, at: string): number {
    return list(schemas).filter((one) => this.problems(one, value, at).length === 0).length;
  }

  /** The schema at a local reference, such as `#/$defs/step`. Others are not checked. */
  private target(ref: string): unknown {
    if (!ref.startsWith("#")) {
      this.unchecked.add("$ref");
      return true;
    }
    const steps = ref.split("/").slice(1);
    return steps.reduce<unknown>((inside, step) => {
      const name = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
      return isObject(inside) || Array.isArray(inside) ? (inside as Schema)[name] : undefined;
    }, this.root);
  }
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

const appliesTo = (keyword: string, value: unknown): boolean =>
  keyword.endsWith("Items") ? Array.isArray(value) : typeof value === "string";

/** Items of an array, or characters of a text as JSON Schema counts them. */
function sizeOf(value: unknown): number {
  return Array.isArray(value) || typeof value === "string" ? [...value].length : 0;
}

function hasType(value: unknown, type: string): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isObject(value);
    case "integer":
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function same(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => same(item, other[index]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && same(one[name], other[name]))
  );
}
