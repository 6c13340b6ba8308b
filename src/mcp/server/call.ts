import * as z from "zod/mini";
import { PommelError } from "../../project/errors.ts";
import { isObject, problemIn } from "../../protocol/problem-in.ts";

/**
 * The arguments of a call, with defaults filled in. Models often send null or "" for a missing argument.
 * @throws PommelError `usage` that explains each invalid argument, and what it may be
 */
export function readArguments<S extends z.ZodMiniType>(tool: string, input: S, given: unknown): z.infer<S> {
  const args = isObject(given) ? givenOf(given) : (given ?? {});
  const parsed = z.safeParse(input, args);
  const problems = parsed.success
    ? Object.entries(args).flatMap((argument) => contentProblem(argument, input))
    : parsed.error.issues.map((issue) => problemIn(issue, args, "argument"));
  if (parsed.success && problems.length === 0) return parsed.data;
  const names = input instanceof z.ZodMiniObject ? Object.keys(input.shape) : [];
  const several = [...new Set(problems)].slice(0, 5).join(" ");
  throw new PommelError("usage", several, `${tool} takes: ${names.join(", ")}.`);
}

/** Longer ones are no question; a text that may be longer says so itself. */
const maxCharacters = 1000;
const maxEntries = 50;

/** Content that no argument may have, whatever the operation. */
function contentProblem([name, value]: [string, unknown], input: z.ZodMiniType): string | [] {
  const entries = [value].flat().map(String);
  // Neither file names nor git's arguments can contain one; each place would fail with an error of its own.
  if (entries.some((one) => one.includes("\0"))) return `${name} contains a NUL character.`;
  if (entries.length > maxEntries) return `${name} must be a list of at most ${maxEntries} entries.`;
  const isLong = entries.some((one) => one.length > maxCharacters);
  if (!isLong || maxLengthOf(input, name) !== undefined) return [];
  return `${name} must be a text of at most ${maxCharacters} characters.`;
}

function maxLengthOf(input: z.ZodMiniType, name: string): number | undefined {
  const { properties = {} } = z.toJSONSchema(input, { io: "input" });
  return (properties[name] as { maxLength?: number }).maxLength;
}

function givenOf(given: Record<string, unknown>): Record<string, unknown> {
  const isEmpty = (value: unknown) =>
    value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0);
  return Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmpty(value)));
}
