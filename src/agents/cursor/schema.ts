import * as z from "zod/mini";
import { anything, count, orNothing, orNull, text, time } from "../reading/json.ts";

/** The parsed fields of the database's values. They are JSON, and some of their fields are JSON once more. */

const uri = orNull(z.object({ fsPath: text, path: text }));
const workspace = orNull(z.object({ uri }));
const subagent = orNull(z.object({ parentComposerId: text, subagentTypeName: text, toolCallId: text }));

/** `composerHeaders.value`, in newer databases. */
const head = z.object({ workspaceIdentifier: workspace, subagentInfo: subagent });

/** `composerData:<composer>` */
const composer = z.object({
  name: text,
  /** Milliseconds since the epoch. */
  createdAt: time,
  lastUpdatedAt: time,
  status: text,
  fullConversationHeadersOnly: anything,
  modelConfig: orNull(z.object({ modelName: text })),
  workspaceIdentifier: workspace,
});
export type Composer = z.infer<typeof composer>;

const bubbleHeader = z.object({ bubbleId: z.string() });

const tool = z.object({
  name: text,
  status: text,
  toolCallId: text,
  params: anything,
  rawArgs: anything,
  result: anything,
  error: anything,
});
export type Tool = z.infer<typeof tool>;

/** `bubbleId:<composer>:<bubble>` */
const bubble = z.object({
  /** 1: the human's, 2: the agent's. */
  type: count,
  text,
  createdAt: anything,
  thinking: anything,
  images: anything,
  toolFormerData: orNull(tool),
  tokenCount: orNull(z.object({ inputTokens: count, outputTokens: count })),
});
export type Bubble = z.infer<typeof bubble>;

const thought = z.object({ text: z.string() });
/** The contents of a file before and after an edit, under keys of their own. */
const contents = z.object({ beforeContentId: text, afterContentId: z.string() });
/** `composer.composerData` of a workspace, in older databases. */
const workspaceComposers = z.object({ allComposers: z.array(z.object({ composerId: text })) });

export const asHead = (value: unknown) => orNothing(head, value);
export const asComposer = (value: unknown) => orNothing(composer, value);
export const asBubbleHeader = (value: unknown) => orNothing(bubbleHeader, value);
export const asBubble = (value: unknown) => orNothing(bubble, value);
export const asThought = (value: unknown) => orNothing(thought, value);
export const asContents = (value: unknown) => orNothing(contents, value);
export const asWorkspaceComposers = (value: unknown) => orNothing(workspaceComposers, value);

const pair = z.object({ key: z.string(), value: text, size: count });
export const asPair = (row: unknown) => orNothing(pair, row);
