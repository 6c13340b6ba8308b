import * as z from "zod/mini";
import { text } from "../../protocol/shape-parts.ts";
import { answerInWords, maxTokensOfOld, type OldTool } from "../../tools/old-tool.ts";
import { type CallContext, limit, resolveCurrentId } from "../../tools/tool.ts";
import { checkpointsRequest, listCheckpoints } from "./operation.ts";
import { wordCheckpoints } from "./words.ts";

const { branch, since, until } = checkpointsRequest().shape;

const answer = answerInWords(listCheckpoints, wordCheckpoints);

export const oldCheckpointsTool: OldTool = {
  input: z.strictObject({
    session_id: z.optional(text),
    branch,
    since,
    until,
    limit: limit(100),
    max_tokens: maxTokensOfOld,
  }),
  answer: ({ session_id: id, ...args }: { session_id?: string; max_tokens?: number }, context: CallContext) =>
    answer({ ...args, ...(id && { session: resolveCurrentId(id, context) }) }, context),
};
