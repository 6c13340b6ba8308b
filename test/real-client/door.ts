import { estimateTokens } from "../../src/base/text/text-size.ts";
import { listTools } from "../../src/faces/mcp/listed-tools.ts";
import { instructions } from "../../src/faces/mcp/server/server.ts";
import { tools } from "../../src/features/tools.ts";
import { countDoorTokens, maxDoorTokens } from "../support/client-forms.ts";

/** What a client hands to its model of Pommel's door: whole requests are looked at, as each client has a form of its own. */

export interface Door {
  /** Pommel's tools, by Pommel's own names. */
  tools: string[];
  /** Whether the server's instructions are there, word for word. */
  hasInstructions: boolean;
  /** Tokens that the tools and the instructions take, with what the client adds to each tool. */
  tokens: number;
}

/** @param request the body of a request, or a part of it, as JSON */
export function measureDoor(request: string): Door {
  const found = new Map<string, string>();
  const look = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const { name, description } = value as { name?: unknown; description?: unknown };
    const tool = typeof name === "string" && typeof description === "string" ? name.replace(/^.*_/, "") : "";
    if (Object.hasOwn(tools, tool) && description === tools[tool as keyof typeof tools].description)
      found.set(tool, JSON.stringify(value));
    for (const inner of Object.values(value)) look(inner);
  };
  look(JSON.parse(request));
  const hasInstructions = request.includes(JSON.stringify(instructions).slice(1, -1));
  const sent = [...found.values(), ...(hasInstructions ? [instructions] : [])];
  return {
    tools: [...found.keys()].sort(),
    hasInstructions,
    tokens: estimateTokens(sent.join("")),
  };
}

/** Tokens that Pommel may take of a client's request: no more than its known form of tools takes, which a unit test holds. */
export const maxTokensIn = (client: string): number =>
  Math.min(maxDoorTokens, countDoorTokens(client, listTools().tools, instructions));

export const allTools = Object.keys(tools).sort();
