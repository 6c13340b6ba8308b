import { cue, type Script } from "./mock-api.ts";

/** How Pommel's MCP tools are called by a model, one after the other. */

/** Arguments of each tool, by its name. */
export const toolCalls = {
  code: { query: "how many attempts the heron importer has" },
  recall: { about: "heron importer timeout retry" },
  why: { place: "src/heron.ts:1" },
  note: { text: "The bittern importer keeps three attempts, as the server bans more." },
} as const;

export type CalledTool = keyof typeof toolCalls;

/** The id of the use of a tool. */
export const useOf = (tool: CalledTool | "wrong") => `toolu_pommel_${tool}`;

const call = (tool: CalledTool, input: Record<string, unknown>, id = useOf(tool)) =>
  [{ type: "tool_use", name: `mcp__pommel__${tool}`, input, id }] as const;

export const toolScripts: Record<"tools" | "deferred" | "undeferred", Script> = {
  tools: [
    ...Object.entries(toolCalls).map(([tool, input]) => call(tool as CalledTool, input)),
    call("why", { place: "../../etc/passwd:1" }, useOf("wrong")),
    [{ type: "text", text: "All of the tools were asked." }],
  ],
  deferred: [[{ type: "text", text: "Some tools are here." }]],
  undeferred: [[{ type: "text", text: "All tools are here." }]],
};

export const toolPrompt = `Ask each of Pommel's tools about the bittern. ${cue("tools")}`;

/** The older client does not wait for servers before its first request by default. */
const waiting = { MCP_CONNECTION_NONBLOCKING: "false" };

/** Sessions with a client that defers tools and with one that does not: its environment, and the prompt. */
export const loading = {
  deferred: {
    env: { ...waiting, ENABLE_TOOL_SEARCH: "true" },
    prompt: `Which tools of the egret are here? ${cue("deferred")}`,
  },
  undeferred: {
    env: { ...waiting, ENABLE_TOOL_SEARCH: "false" },
    prompt: `And all tools of the egret? ${cue("undeferred")}`,
  },
} as const;
