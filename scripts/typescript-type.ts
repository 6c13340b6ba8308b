import type * as z from "zod/mini";

export type Schema = z.core.JSONSchema.BaseSchema;

/** A JSON schema as a type in TypeScript. */
export function typeOf(schema: Schema, indent: string): string {
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const members = schema.anyOf ?? schema.oneOf;
  if (members) return members.map((one) => typeOf(one as Schema, indent)).join(" | ");
  // A schema of several types: `"type": ["string", "null"]`.
  const types: unknown = schema.type;
  if (Array.isArray(types)) return types.map((type) => typeOf({ ...schema, type }, indent)).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array":
      if (schema.prefixItems) {
        return `[${schema.prefixItems.map((one) => typeOf(one as Schema, indent)).join(", ")}]`;
      }
      return `Array<${typeOf(schema.items as Schema, indent)}>`;
    case "object":
      return objectType(schema, indent);
  }
  if (Object.keys(schema).length === 0) return "unknown";
  throw new Error(`no type for ${JSON.stringify(schema)}`);
}

function objectType({ properties, required = [], additionalProperties }: Schema, indent: string): string {
  if (properties === undefined || Object.keys(properties).length === 0) {
    const values = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "never";
    return `Record<string, ${values}>`;
  }
  const inner = `${indent}  `;
  const fields = Object.entries(properties).map(
    ([name, schema]) =>
      `${inner}${name}${required.includes(name) ? "" : "?"}: ${typeOf(schema as Schema, inner)};`,
  );
  return `{\n${fields.join("\n")}\n${indent}}`;
}
