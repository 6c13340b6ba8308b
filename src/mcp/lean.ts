/**
 * Some clients show a model the structure of an answer and not its text, so what says nothing is left out of it: null,
 * false, "" and empty lists.
 */

type Json = Readonly<Record<string, unknown>>;

/** A value without what says nothing, at any depth. */
export function lean(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lean);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => !saysNothing(part))
      .map(([key, part]) => [key, lean(part)]),
  );
}

function saysNothing(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === "") return true;
  return Array.isArray(value) && value.length === 0;
}

/** The JSON Schema of what `lean` makes of values of a schema. */
export function leanSchema(schema: Json): Json {
  const optional = mapObjects(schema, (part) => {
    const { required, properties } = part;
    if (!Array.isArray(required) || !isObject(properties)) return part;
    return { ...part, required: required.filter((name) => !canBeNothing(properties[name as string])) };
  });
  return mapObjects(optional, withoutNull);
}

/** What is left out is never null; and not every client understands a list of types. */
function withoutNull({ type, anyOf, ...rest }: Json): Json {
  if (Array.isArray(anyOf)) {
    const some = anyOf.filter((one) => !(isObject(one) && one.type === "null"));
    return some.length === 1 && isObject(some[0]) ? { ...some[0], ...rest } : { ...rest, anyOf: some };
  }
  if (!Array.isArray(type)) return { ...(type !== undefined && { type }), ...rest };
  const types = type.filter((one) => one !== "null");
  return { type: types.length === 1 ? types[0] : types, ...rest };
}

function canBeNothing(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  const types: unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  if (types.some((type) => ["array", "boolean", "string", "null"].includes(String(type)))) return true;
  return Array.isArray(schema.anyOf) && schema.anyOf.some(canBeNothing);
}

/** A JSON Schema without bounds that are only those of numbers as such. */
export function withoutBounds(schema: Json): Json {
  return mapObjects(schema, (part) => {
    const { maximum, minimum, ...rest } = part;
    return {
      ...rest,
      ...(typeof minimum === "number" && minimum !== Number.MIN_SAFE_INTEGER && { minimum }),
      ...(typeof maximum === "number" && maximum !== Number.MAX_SAFE_INTEGER && { maximum }),
    };
  });
}

/** Every object in a value, the inner ones first, as `change` makes it. */
function mapObjects(value: Json, change: (part: Json) => Json): Json {
  const walk = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(walk);
    if (!isObject(part)) return part;
    return change(Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, walk(inner)])));
  };
  return walk(value) as Json;
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
