import * as z from "zod/mini";
import { version } from "../project/version.ts";
import type { RouteName } from "./endpoints.ts";
import { type Route, routes } from "./routes.ts";

/** Served for Pommel's own programs, which have the same version; not part of the contract. */
const internal: ReadonlySet<RouteName> = new Set(["command", "spool", "pageCode"]);

export const publicRoutes = (Object.keys(routes) as RouteName[]).filter((name) => !internal.has(name));

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The daemon's HTTP contract as an OpenAPI 3.1 document. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const name of publicRoutes) {
    const route: Route = routes[name];
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] ??= {};
    paths[path][route.method.toLowerCase()] = {
      operationId: name,
      summary: route.summary,
      ...(route.method === "GET"
        ? { parameters: parametersOf(route) }
        : { requestBody: { content: json(schemaOf(route.request(), "input")) } }),
      responses: {
        200: { description: "The answer", content: json(schemaOf(route.response(), "output")) },
        default: { description: "A refusal", content: json({ $ref: "#/components/schemas/Error" }) },
      },
    };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Pommel",
      version,
      description:
        "The daemon on 127.0.0.1, one for all projects. Port and token are in daemon.json in the state directory, ~/.local/state/pommel.",
      license: { name: "MIT", identifier: "MIT" },
    },
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: { Error: schemaOf(errorShape, "output") },
    },
  };
}

const errorShape = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string() }),
});

const json = (schema: object) => ({ "application/json": { schema } });

/** Unknown fields are ignored on both sides, so that no shape is closed. */
export function schemaOf(shape: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // The limits of JavaScript's numbers are not limits of a count.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return schema as JsonSchema;
}

function parametersOf(route: Route): object[] {
  const { properties = {}, required = [] } = schemaOf(route.request(), "input");
  return Object.entries(properties).map(([name, schema]) => {
    const isInPath = route.path.includes(`:${name}`);
    return {
      name,
      in: isInPath ? "path" : "query",
      required: isInPath || required.includes(name),
      schema,
    };
  });
}
