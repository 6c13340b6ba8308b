import * as z from "zod/mini";
import { PommelError } from "../../base/errors.ts";
import { describeProblem, isObject } from "../../protocol/problem-in.ts";

/**
 * Reads the arguments that a model sends, and tolerates mistakes: a text instead of a list, a number as text, limits that are too
 * large, another tool's name for an argument. An argument that makes no sense is left out with a note, and the call is answered.
 */

export type ToolInput = z.ZodMiniObject;

export interface ReadArguments<S extends ToolInput> {
  args: z.infer<S>;
  /** Notes on arguments that were left out or changed. */
  notes: string[];
}

/** The parts of a JSON schema that are used here. */
interface JsonSchema {
  type?: string;
  enum?: unknown[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  /** A longer text is cut to so many characters. */
  cutAt?: number;
}

/** Longer texts are cut: their beginning and end say what is meant. A schema with `maxLength` has its own limit. */
const maxCharacters = 1000;
const maxEntries = 50;

/**
 * @param synonyms the names of the tool's arguments, by other names for them
 * @throws PommelError `usage` if a required argument is missing, or if a text contains a NUL character
 */
export function readArguments<S extends ToolInput>(
  tool: string,
  input: S,
  given: unknown,
  synonyms: Readonly<Record<string, string>> = {},
): ReadArguments<S> {
  const notes: string[] = [];
  const schemas = z.toJSONSchema(input, { io: "input" }).properties as Record<string, JsonSchema>;
  const args: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(toArguments(given, schemas, notes))) {
    if (isEmpty(value)) continue;
    const known = resolveArgumentName(name, schemas, synonyms);
    if (known === null)
      notes.push(`${tool} has no argument ${JSON.stringify(name.slice(0, 60))}: it was ignored.`);
    else if (args[known] === undefined) args[known] = coerce(value, schemas[known]!, known, notes);
  }
  const hostile = Object.entries(args).flatMap(([name, value]) => findContentProblem(name, value));
  if (hostile.length > 0)
    throw new PommelError("usage", hostile.slice(0, 5).join(" "), listArguments(tool, schemas));
  const parsed = z.safeParse(input, args);
  if (parsed.success) return { args: parsed.data, notes };
  // Leave out optional arguments that are invalid.
  const problems = parsed.error.issues.map((issue) => ({
    name: String(issue.path[0]),
    says: describeProblem(issue, args, "argument"),
  }));
  const kept = Object.fromEntries(
    Object.entries(args).filter(([name]) => !problems.some((problem) => problem.name === name)),
  );
  const again = z.safeParse(input, kept);
  const says = [...new Set(problems.map((problem) => problem.says))].slice(0, 5);
  if (!again.success) throw new PommelError("usage", says.join(" "), listArguments(tool, schemas));
  return {
    args: again.data,
    notes: [...notes, ...says.map((one) => `${one.replace(/\.$/, "")}: it was ignored.`)],
  };
}

const listArguments = (tool: string, schemas: object): string =>
  `${tool} takes: ${Object.keys(schemas).join(", ")}.`;

function toArguments(given: unknown, schemas: object, notes: string[]): Record<string, unknown> {
  if (isObject(given)) return given;
  if (given === undefined || given === null) return {};
  const [first = ""] = Object.keys(schemas);
  if (typeof given === "string") return { [first]: given };
  notes.push("The arguments are no JSON object: they were ignored.");
  return {};
}

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);

/** Finds an argument by its name, by another name, or by its name in another spelling. */
function resolveArgumentName(
  name: string,
  schemas: object,
  synonyms: Readonly<Record<string, string>>,
): string | null {
  const snake = name.replace(/([a-z\d])([A-Z])/g, "$1_$2").toLowerCase();
  const candidates = [name, snake].flatMap((one) => [
    one,
    ...(Object.hasOwn(synonyms, one) ? [synonyms[one]!] : []),
    ...(Object.hasOwn(commonNames, one) ? commonNames[one as keyof typeof commonNames] : []),
  ]);
  return candidates.find((one) => Object.hasOwn(schemas, one)) ?? null;
}

/** Names that models use for the arguments of any search. */
const commonNames = {
  q: ["query", "about"],
  query: ["about", "q"],
  question: ["query", "about"],
  search: ["query", "about"],
  text: ["query", "about"],
  topic: ["about"],
  symbol: ["query"],
  name: ["query"],
  pattern: ["query"],
  max_results: ["limit"],
  top_k: ["limit"],
  k: ["limit"],
  n: ["limit"],
  count: ["limit"],
  num_results: ["limit"],
  max_chars: ["max_tokens"],
  token_budget: ["max_tokens"],
  file: ["files", "path", "place"],
  files: ["path"],
  path: ["files", "place"],
  paths: ["files", "path"],
  file_path: ["place", "files", "path"],
  chunk: ["place"],
  graph: ["calls"],
  callers: ["calls"],
  session: ["id", "session_id"],
  session_id: ["id"],
  kinds: ["kind"],
  type: ["kind"],
  by: ["said_by"],
  speaker: ["said_by"],
  languages: ["language"],
  note: ["text"],
  content: ["text"],
  message: ["text"],
  rev: ["revision"],
  commit: ["revision"],
} as const satisfies Record<string, readonly string[]>;

function coerce(value: unknown, schema: JsonSchema, name: string, notes: string[]): unknown {
  switch (schema.type) {
    case "array": {
      const given = Array.isArray(value) ? value : [value];
      const list = given.slice(0, maxEntries);
      if (list.length < given.length) notes.push(`${name} was cut to its first ${maxEntries} entries.`);
      const { items = {} } = schema;
      const entries = list.map((one) => coerce(one, items, name, notes));
      const isKnown = (one: unknown) => items.enum === undefined || items.enum.includes(one);
      const unknown = entries.filter((one) => !isKnown(one));
      if (unknown.length > 0)
        notes.push(
          `${name} can be ${items.enum?.join(", ")}: ${unknown.map(String).join(", ")} was ignored.`,
        );
      const known = entries.filter(isKnown);
      return known.length === 0 ? undefined : known;
    }
    case "integer":
    case "number": {
      const number =
        typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? Number(value) : value;
      if (typeof number !== "number" || !Number.isFinite(number)) return value;
      const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
      return Math.min(Math.max(Math.round(number), minimum), maximum);
    }
    case "boolean":
      return value === "true" || value === 1 ? true : value === "false" || value === 0 ? false : value;
    case "string":
      if (typeof value === "number") return String(value);
      return cutLong(
        Array.isArray(value) && value.every((one) => typeof one === "string") && schema.enum === undefined
          ? value.join(" ")
          : value,
        schema,
        name,
        notes,
      );
    default:
      return value;
  }
}

/** Cuts the middle of a long text: errors and reports begin with what was done, and end with what went wrong. */
function cutLong(
  value: unknown,
  { maxLength, cutAt = maxCharacters }: JsonSchema,
  name: string,
  notes: string[],
): unknown {
  if (typeof value !== "string" || value.length <= cutAt || maxLength !== undefined) return value;
  notes.push(`${name} was cut to ${cutAt} characters.`);
  const half = cutAt / 2;
  return `${value.slice(0, half - 1)} ${value.slice(-half)}`;
}

/** Refuses NUL characters here: neither file names nor git's arguments can contain one, and each would fail in its own way. */
const findContentProblem = (name: string, value: unknown): string[] =>
  [value].flat().some((one) => String(one).includes("\0")) ? [`${name} contains a NUL character.`] : [];
