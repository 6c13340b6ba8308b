import type { ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { tools } from "../../features/tools.ts";
import type { Tool } from "../../tools/tool.ts";

type ListedTool = ListToolsResult["tools"][number];

/** The tools as the protocol describes them. */
export function listTools(): ListToolsResult {
  return { tools: Object.entries(tools).map(([name, tool]: [string, Tool]) => describe(name, tool)) };
}

function describe(name: string, { title, description, input, isReading }: Tool): ListedTool {
  return {
    name,
    description,
    inputSchema: buildInputSchema(input),
    annotations: {
      title,
      readOnlyHint: isReading,
      ...(!isReading && { destructiveHint: false }),
      openWorldHint: false,
    },
    // Claude Code defers every other tool: it shows a model no more than the name until the model searches for it.
    _meta: { "anthropic/alwaysLoad": true },
  };
}

/** A schema with only what a model needs for a call. It leaves bounds out, because values beyond them are clamped. */
function buildInputSchema(input: z.ZodMiniObject): ListedTool["inputSchema"] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, {
    io: "input",
    override({ jsonSchema }) {
      for (const bound of [
        "minimum",
        "maximum",
        "minLength",
        "maxLength",
        "minItems",
        "maxItems",
        "default",
        "cutAt",
      ] as const) {
        delete jsonSchema[bound];
      }
      delete jsonSchema.format;
    },
  });
  return {
    type: "object",
    properties: properties as ListedTool["inputSchema"]["properties"],
    ...(required.length > 0 && { required }),
  };
}
