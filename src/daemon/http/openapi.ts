import * as z from "zod/mini";
import type { Operation } from "../../answers/operation.ts";
import { version } from "../../base/version.ts";
import { publicOperations } from "../../features/index.ts";
import { errorBody } from "../../protocol/http.ts";

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** The daemon's HTTP contract as an OpenAPI 3.1 document. */
export function openApi(): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of publicOperations) {
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    // An operation that answers both GET and POST is described as a POST.
    const method = operation.methods.includes("POST") ? "POST" : "GET";
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = {
      operationId: operation.name,
      summary: operation.summary,
      ...(method === "GET"
        ? { parameters: listParameters(operation) }
        : { requestBody: { content: makeJsonContent(toJsonSchema(operation.request(), "input")) } }),
      responses: {
        200: {
          description: "The answer",
          content: makeJsonContent(toJsonSchema(operation.response(), "output")),
        },
        default: {
          description: "A refusal",
          content: makeJsonContent({ $ref: "#/components/schemas/Error" }),
        },
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
      schemas: { Error: toJsonSchema(errorBody(), "output") },
    },
  };
}

const makeJsonContent = (schema: object) => ({ "application/json": { schema } });

/** Both sides ignore unknown fields, so no shape forbids additional ones. */
export function toJsonSchema(shape: z.ZodMiniType, io: "input" | "output"): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, {
    io,
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
      // Drop the limits of JavaScript's numbers, which mean nothing to a client.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
    },
  });
  return schema as JsonSchema;
}

function listParameters({ path, request }: Operation): object[] {
  const { properties = {}, required = [] } = toJsonSchema(request(), "input");
  return Object.entries(properties).map(([name, schema]) => {
    const isInPath = path.includes(`:${name}`);
    return {
      name,
      in: isInPath ? "path" : "query",
      required: isInPath || required.includes(name),
      schema,
    };
  });
}
