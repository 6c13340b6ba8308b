import type { ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { type Tool, tools } from "../shapes/definitions.ts";

type ListedTool = ListToolsResult["tools"][number];

/** The tools as the protocol describes them. */
export function listTools(): ListToolsResult {
  return {
    tools: Object.entries(tools).flatMap(([name, tool]: [string, Tool]) =>
      tool.shown === null ? [] : [describe(name, tool, tool.shown)],
    ),
  };
}

function describe(
  name: string,
  { title, description, input, isReading, isAlwaysLoaded }: Tool,
  shown: readonly string[],
): ListedTool {
  return {
    name,
    description,
    inputSchema: schemaOf(input, shown),
    annotations: {
      title,
      readOnlyHint: isReading,
      ...(!isReading && { destructiveHint: false }),
      openWorldHint: false,
    },
    // Claude Code defers every other tool: it shows a model no more than the name until the model searches for it.
    ...(isAlwaysLoaded && { _meta: { "anthropic/alwaysLoad": true } }),
  };
}

/** Says no more than a model needs for a call: a call that breaks a bound gets an answer that names it. */
function schemaOf(input: z.ZodMiniType, shown: readonly string[]): ListedTool["inputSchema"] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      for (const bound of ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"] as const) {
        delete jsonSchema[bound];
      }
      delete jsonSchema.format;
      const { description } = jsonSchema;
      if (description) jsonSchema.description = description.charAt(0).toUpperCase() + description.slice(1);
    },
  });
  const listed = Object.entries(properties).filter(([name]) => shown.includes(name));
  return {
    type: "object",
    properties: Object.fromEntries(listed) as ListedTool["inputSchema"]["properties"],
    ...(required.length > 0 && { required }),
  };
}
