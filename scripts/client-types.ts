/**
 * Writes dist/client.d.ts, the types of `pommel/client`, from the shapes of the daemon's contract: plain types, so that
 * whoever uses them needs none of our packages.
 */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type * as z from "zod/mini";
import { publicRoutes, schemaOf } from "../src/protocol/openapi.ts";
import { type Route, routes } from "../src/protocol/routes.ts";

type Schema = z.core.JSONSchema.BaseSchema;

const file = fileURLToPath(new URL("../dist/client.d.ts", import.meta.url));

function typeOf(schema: Schema, indent: string): string {
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

const methods = publicRoutes.map((name) => {
  const { summary, request, response }: Route = routes[name];
  const asked = schemaOf(request(), "input");
  const optional = (asked.required ?? []).length === 0 ? "?" : "";
  return [
    `  /** ${summary}. */`,
    `  ${name}(request${optional}: ${typeOf(asked, "  ")}): Promise<${typeOf(schemaOf(response(), "output"), "  ")}>;`,
  ].join("\n");
});

writeFileSync(
  file,
  `/** What programs ask a project's daemon. Made from the daemon's contract: docs/http.md. */
export interface Pommel {
  /** The project's root. */
  root: string;
${methods.join("\n")}
}

/**
 * Finds the daemon of a project, or starts it.
 * @param options.project a directory in the project; default: the working directory
 * @throws PommelError \`not_initialised\` outside of a project, \`daemon_start_failed\`, \`locked\`
 */
export function connect(options?: { project?: string }): Promise<Pommel>;

/** What every method throws when it is refused: a stable code, what happened, and what to do. */
export class PommelError extends Error {
  readonly code: string;
  readonly hint: string;
}
`,
);
