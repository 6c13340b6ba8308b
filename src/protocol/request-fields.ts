import * as z from "zod/mini";

/** A field of a request, for readers of text: a query string, a command line. */
export interface RequestField {
  /** Its purpose; "" if undocumented. */
  about: string;
  type: "text" | "number" | "flag";
  isList: boolean;
  /**
   * For a list: whether its values contain no comma, so that commas may separate them. Paths and globs may contain one.
   */
  isSplit: boolean;
  /** The values of an enumeration; null for other types. */
  values: string[] | null;
  minimum: number | undefined;
  maximum: number | undefined;
}

const fieldsByRequest = new WeakMap<z.ZodMiniObject, Readonly<Record<string, RequestField>>>();

/** The fields of a request, read from the schema itself, because making a JSON Schema would slow a command's start by 5 ms. */
export function readRequestFields(request: z.ZodMiniObject): Readonly<Record<string, RequestField>> {
  const shape: Record<string, z.core.$ZodType> = request.shape;
  const fields =
    fieldsByRequest.get(request) ??
    Object.fromEntries(Object.entries(shape).map(([name, schema]) => [name, describeField(schema)]));
  fieldsByRequest.set(request, fields);
  return fields;
}

function describeField(schema: z.core.$ZodType): RequestField {
  const given = schema instanceof z.core.$ZodOptional ? schema._zod.def.innerType : schema;
  const isList = given instanceof z.core.$ZodArray;
  const value = isList ? given._zod.def.element : given;
  const isEnum = value instanceof z.core.$ZodEnum;
  const bound = (check: string) =>
    given._zod.def.checks
      ?.map(({ _zod }) => _zod.def as { check: string; value?: number })
      .find((def) => def.check === check)?.value;
  return {
    about: z.globalRegistry.get(given)?.description ?? "",
    type:
      value instanceof z.core.$ZodNumber ? "number" : value instanceof z.core.$ZodBoolean ? "flag" : "text",
    isList,
    isSplit: isList && (isEnum || z.globalRegistry.get(value)?.format === "name"),
    values: isEnum ? Object.values(value._zod.def.entries).map(String) : null,
    minimum: bound("greater_than"),
    maximum: bound("less_than"),
  };
}

/**
 * Parses a query string into a request. A list's parameter may be repeated or, if its values cannot contain commas, comma separated.
 * @returns the request, not checked: invalid values are left in for the schema to refuse
 */
export function parseUrlRequest(
  request: z.ZodMiniObject,
  parameters: URLSearchParams,
): Record<string, unknown> {
  const fields = readRequestFields(request);
  const read = (name: string): unknown => {
    const given = parameters.getAll(name);
    const [first = ""] = given;
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (field?.isList) {
      return given
        .flatMap((value) => (field.isSplit ? value.split(",") : value))
        .filter((value) => value !== "");
    }
    if (field?.type === "number") return Number(first || Number.NaN);
    return field?.type === "flag" ? !["0", "false"].includes(first) : first;
  };
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, read(name)]));
}
