import type { OldTool } from "../tools/old-tool.ts";
import { oldCheckpointsTool } from "./checkpoints/old-tool.ts";
import { oldLostTool } from "./lost/old-tool.ts";
import { oldRelatedTool } from "./related/old-tool.ts";
import { oldRewindTool } from "./rewind/old-tool.ts";

/**
 * What agents' tools of earlier versions answered that no tool of today does, by their names. Where one of them is asked about
 * something, `recall` answers (`faces/mcp/old-names.ts`).
 */
export const oldTools: Readonly<Record<string, OldTool>> = {
  list_checkpoints: oldCheckpointsTool,
  rewind_preview: oldRewindTool,
  related: oldRelatedTool,
  commands: oldLostTool,
};
