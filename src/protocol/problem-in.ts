import type * as z from "zod/mini";

type Issue = z.core.$ZodIssue;

export const isObject = (given: unknown): given is Record<string, unknown> =>
  typeof given === "object" && given !== null && !Array.isArray(given);

/**
 * Says in a sentence what is wrong with the sent values, and what they must be.
 * @param given the values that were sent
 * @param what what one of the values is called
 */
export function describeProblem(issue: Issue, given: unknown, what: "argument" | "field"): string {
  const [first] = issue.path;
  const name = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => `Unknown ${what} ${JSON.stringify(key.slice(0, 60))}.`).join(" ");
  }
  if (first === undefined) return `The ${what}s must be a JSON object.`;
  if (issue.path.length === 1 && isObject(given) && !Object.hasOwn(given, first))
    return `${name} is missing.`;
  return `${name} must be ${describeWanted(issue)}.`;
}

const kinds: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
};

function describeWanted(issue: Issue): string {
  switch (issue.code) {
    case "invalid_type":
      return kinds[issue.expected] ?? issue.expected;
    case "invalid_value":
      return `one of ${issue.values.map(String).join(", ")}`;
    case "too_big":
      return `${describeUnit(issue.origin)}at most ${issue.maximum}${describeUnit(issue.origin) && describeUnitEnd(issue.origin)}`;
    case "too_small":
      return `${describeUnit(issue.origin)}at least ${issue.minimum}${describeUnit(issue.origin) && describeUnitEnd(issue.origin)}`;
    case "custom":
      return issue.message;
    default:
      return "something else";
  }
}

const describeUnit = (origin: string) =>
  origin === "string" ? "a text of " : origin === "array" ? "a list of " : "";
const describeUnitEnd = (origin: string) => (origin === "string" ? " characters" : " entries");
