/** The body of a request to a model, read in the terms that all providers share. Pure. */

export interface WireCall {
  id: string;
  name: string;
  /** The arguments as JSON text, as they were written. */
  arguments: string;
}

export interface WireMessage {
  role: "system" | "developer" | "user" | "assistant" | "tool";
  text: string;
  calls: readonly WireCall[];
  /** The call that a tool's message answers, "" for other roles. */
  answers: string;
}

export interface WireTool {
  name: string;
  description: string;
  parameters: unknown;
}

export interface WireRequest {
  model: string;
  messages: readonly WireMessage[];
  tools: readonly WireTool[];
  /** JSON Schema of a structured answer; null if the answer is free. */
  schema: unknown;
  /** Everything else in the body, such as the temperature. */
  settings: Readonly<Record<string, unknown>>;
}

type Json = Record<string, unknown>;

/** A recorded body; the address decides the protocol. */
export function readBody(body: unknown, url: string): WireRequest {
  const json = record(body);
  if (/enerateContent$/.test(url)) return readGoogle(json, url);
  return url.endsWith("/messages") ? readAnthropic(json) : readOpenAi(json);
}

/** The effect of `model.asked`: a request that was not sent, or not recorded as it was sent. */
export function readEffect(effect: unknown): WireRequest {
  const json = record(effect);
  const instructions = (["system", "developer"] as const).flatMap((role) =>
    words(json[role]) ? [message(role, words(json[role]))] : [],
  );
  return {
    model: words(json.model),
    messages: [
      ...instructions,
      ...list(json.messages).map((turn) => ({
        role: words(turn.role) as WireMessage["role"],
        text: words(turn.text),
        calls: list(turn.tool_calls).map((call) => callOf(call, call.id)),
        answers: words(turn.tool_call_id),
      })),
    ],
    tools: list(json.tools).map((tool) => toolOf(tool, tool.parameters)),
    schema: json.schema ?? null,
    settings: record(json.parameters),
  };
}

function readOpenAi(body: Json): WireRequest {
  const { model, messages, tools, response_format: format, ...settings } = body;
  return {
    model: words(model),
    messages: list(messages).map((turn) => ({
      role: words(turn.role) as WireMessage["role"],
      text: contentText(turn.content),
      calls: list(turn.tool_calls).map((call) => callOf(record(call.function), call.id)),
      answers: words(turn.tool_call_id),
    })),
    tools: list(tools).map((tool) => {
      const declared = record(tool.function);
      return toolOf(declared, declared.parameters);
    }),
    schema: record(record(format).json_schema).schema ?? null,
    settings,
  };
}

function readAnthropic(body: Json): WireRequest {
  const { model, system, messages, tools, output_config: output, ...settings } = body;
  const instructions = contentText(system);
  return {
    model: words(model),
    messages: [
      ...(instructions ? [message("system", instructions)] : []),
      ...list(messages).flatMap(anthropicTurn),
    ],
    tools: list(tools).map((tool) => toolOf(tool, tool.input_schema)),
    schema: record(record(output).format).schema ?? null,
    settings: output === undefined ? settings : { ...settings, output_config: output },
  };
}

/** Results of tools are parts of a user's turn, and each is a message of its own here. */
function anthropicTurn(turn: Json): WireMessage[] {
  const role = words(turn.role) as WireMessage["role"];
  if (typeof turn.content === "string") return [message(role, turn.content)];
  const parts = list(turn.content);
  const results = parts
    .filter((part) => part.type === "tool_result")
    .map((part) => message("tool", contentText(part.content), words(part.tool_use_id)));
  const calls = parts
    .filter((part) => part.type === "tool_use")
    .map((part) => callOf({ name: part.name, arguments: part.input }, part.id));
  const text = contentText(parts.filter((part) => part.type === "text"));
  const own = text || calls.length > 0 ? [{ role, text, calls, answers: "" }] : [];
  return [...results, ...own];
}

function readGoogle(body: Json, url: string): WireRequest {
  const { contents, systemInstruction, tools, generationConfig, ...settings } = body;
  const config = record(generationConfig);
  const instructions = partsText(list(record(systemInstruction).parts));
  return {
    model: /models\/([^:/]+)/.exec(url)?.[1] ?? "",
    messages: [
      ...(instructions ? [message("system", instructions)] : []),
      ...list(contents).flatMap(googleTurn),
    ],
    tools: list(tools)
      .flatMap((tool) => list(tool.functionDeclarations))
      .map((tool) => toolOf(tool, tool.parametersJsonSchema ?? tool.parameters)),
    schema: config.responseJsonSchema ?? config.responseSchema ?? null,
    settings: { ...settings, ...config },
  };
}

function googleTurn(turn: Json): WireMessage[] {
  const parts = list(turn.parts);
  const results = parts.flatMap((part) => {
    const result = record(part.functionResponse);
    if (part.functionResponse === undefined) return [];
    return [message("tool", jsonText(result.response), words(result.id) || words(result.name))];
  });
  const calls = parts
    .filter((part) => part.functionCall !== undefined)
    .map((part) => {
      const call = record(part.functionCall);
      return callOf({ name: call.name, arguments: call.args }, call.id);
    });
  const text = partsText(parts);
  const role = turn.role === "model" ? "assistant" : "user";
  const own: WireMessage[] = text || calls.length > 0 ? [{ role, text, calls, answers: "" }] : [];
  return [...results, ...own];
}

const message = (role: WireMessage["role"], text: string, answers = ""): WireMessage => ({
  role,
  text,
  calls: [],
  answers,
});

const callOf = (call: Json, id: unknown): WireCall => ({
  id: words(id),
  name: words(call.name),
  arguments: words(call.unread) || jsonText(call.arguments ?? {}),
});

const toolOf = (tool: Json, parameters: unknown): WireTool => ({
  name: words(tool.name),
  description: words(tool.description),
  parameters: parameters ?? {},
});

/** The text of a message's content, which is a text or a list of parts. */
function contentText(content: unknown): string {
  return typeof content === "string" ? content : partsText(list(content));
}

const partsText = (parts: readonly Json[]): string =>
  parts.flatMap((part) => words(part.text) || []).join("\n\n");

const jsonText = (value: unknown): string =>
  typeof value === "string" ? value : JSON.stringify(value ?? null, null, 2);

const words = (value: unknown): string => (typeof value === "string" ? value : "");

const record = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

const list = (value: unknown): Json[] => (Array.isArray(value) ? value.map(record) : []);
