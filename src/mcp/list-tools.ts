import type { ListToolsResult } from "@modelcontextprotocol/server";
import * as z from "zod/mini";
import { type Tool, tools } from "./definitions.ts";
import { leanSchema, withoutBounds } from "./lean.ts";

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
  const { $schema: _, ...described } = z.toJSONSchema(shape, { io });
  const schema = withoutBounds(io === "output" ? leanSchema(described) : described);
  return schema as ListToolsResult["tools"][number]["inputSchema"];
}
