import type { Tool } from "../tools/tool.ts";
import { codeTool } from "./code/tool.ts";
import { noteTool } from "./notes/tool.ts";
import { recallTool } from "./recall/tool.ts";
import { whyTool } from "./why/tool.ts";

/** What agents may call, by the names that their models see, in the order in which they see them. */
export const tools = {
  code: codeTool,
  recall: recallTool,
  why: whyTool,
  note: noteTool,
} satisfies Record<string, Tool>;

export type ToolName = keyof typeof tools;
