/**
 * Some clients show a model the structure of an answer and not its text, so what is empty is left out of it: null,
 * false, "" and empty lists.
 */

type Json = Readonly<Record<string, unknown>>;

/** A value without empty parts, at any depth. */
export function omitEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitEmpty);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => !isEmpty(part))
      .map(([key, part]) => [key, omitEmpty(part)]),
  );
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return true;
  return Array.isArray(value) && value.length === 0;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
