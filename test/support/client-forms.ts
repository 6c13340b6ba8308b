import type { ListToolsResult } from "@modelcontextprotocol/server";
import { estimateTokens } from "../../src/base/text/text-size.ts";

type ListedTool = ListToolsResult["tools"][number];

/** Gemini CLI adds it to every tool. */
const waitForPrevious = {
  type: "boolean",
  description:
    "Set to true to wait for all previously requested tools in this turn to complete before starting. Set to false (or omit) to run in parallel. Use true when this tool depends on the output of previous tools.",
};

/**
 * How clients write a tool into the request to their model, as their requests were seen (test/real-client): what Pommel's tools take
 * of it is held where no client is installed.
 */
export const clientForms: Readonly<Record<string, (tool: ListedTool) => object>> = {
  "Claude Code": ({ name, description, inputSchema }) => ({
    name: `mcp__pommel__${name}`,
    description,
    input_schema: inputSchema,
  }),
  "Codex CLI": ({ name, description, inputSchema }) => ({
    type: "function",
    name,
    description,
    strict: false,
    defer_loading: true,
    parameters: inputSchema,
  }),
  "Gemini CLI": ({ name, description, inputSchema }) => ({
    name: `mcp_pommel_${name}`,
    description,
    parametersJsonSchema: {
      ...inputSchema,
      properties: { ...inputSchema.properties, wait_for_previous: waitForPrevious },
    },
  }),
  OpenCode: ({ name, description, inputSchema }) => ({
    name: `pommel_${name}`,
    description,
    input_schema: { ...inputSchema, additionalProperties: false },
    eager_input_streaming: true,
  }),
};

/** Tokens of a request that may be Pommel's: its tools with what the client adds to them, and its instructions. */
export const maxDoorTokens = 1100;

/** What a client's request holds of Pommel's, in tokens. */
export function countDoorTokens(client: string, tools: readonly ListedTool[], instructions: string): number {
  const form = clientForms[client]!;
  return estimateTokens([...tools.map((tool) => JSON.stringify(form(tool))), instructions].join(""));
}
