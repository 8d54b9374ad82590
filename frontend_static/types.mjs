/** Write the API's TypeScript types from the OpenAPI document: `npm run types [-- FILE]`. */

import { readFileSync, writeFileSync } from "node:fs";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";
import ts from "typescript";

const DOCUMENT = new URL("../docs/openapi.yaml", import.meta.url);
const TYPES = new URL("src/api/schema.ts", import.meta.url);

/** A recursive type needs a name of its own, which members of an interface do not have. */
const JSON_VALUE = `export type Json =
    null | boolean | number | string | Json[] | { [key: string]: Json };
`;
const isAnyJson = (shape) => shape.description === "Any JSON value." && shape.anyOf;

const types = await openapiTS(readFileSync(DOCUMENT, "utf8"), {
  defaultNonNullable: false,
  inject: JSON_VALUE,
  transform: (shape) => (isAnyJson(shape) ? ts.factory.createTypeReferenceNode("Json") : undefined),
});
writeFileSync(process.argv[2] ?? TYPES, COMMENT_HEADER + astToString(types));
