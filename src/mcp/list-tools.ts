import type { ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { type Tool, tools } from "./definitions.ts";

/** The tools as the protocol describes them. */
export function listTools(): ListToolsResult {
  return { tools: Object.entries(tools).map(([name, tool]: [string, Tool]) => describe(name, tool)) };
}

function describe(name: string, { title, description, input, output, isReading }: Tool) {
  return {
    name,
    title,
    description,
    inputSchema: schemaOf(input, "input"),
    outputSchema: schemaOf(output, "output"),
    annotations: {
      title,
      readOnlyHint: isReading,
      destructiveHint: false,
      idempotentHint: isReading,
      openWorldHint: false,
    },
  };
}

function schemaOf(shape: z.ZodMiniType, io: "input" | "output") {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io });
  return schema as ListToolsResult["tools"][number]["inputSchema"];
}
