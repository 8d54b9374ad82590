/** A recorded request as a shell command. The key is a variable of the shell. */

import type { Try } from "./modelCalls";

export function curlCommand({ url, body }: Try): string {
  const headers = ["Content-Type: application/json", ...keyHeaders(url)];
  const address = url.includes(":streamGenerateContent") ? `${url}?alt=sse` : url;
  return [
    `curl ${quoted(address)}`,
    // Only the key's header needs double quotes, in which the shell replaces the variable.
    ...headers.map((one) => `  -H ${one.includes("$") ? `"${one}"` : quoted(one)}`),
    `  --data-binary ${quoted(JSON.stringify(body))}`,
  ].join(" \\\n");
}

function keyHeaders(url: string): string[] {
  if (/enerateContent$/.test(url)) return ["x-goog-api-key: $API_KEY"];
  if (url.endsWith("/messages")) return ["x-api-key: $API_KEY", "anthropic-version: 2023-06-01"];
  return ["Authorization: Bearer $API_KEY"];
}

const quoted = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;
