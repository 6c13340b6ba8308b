import * as z from "zod/mini";
import { place } from "../../protocol/shape-parts.ts";
import { answerInWords, maxTokensOfOld, type OldTool } from "../../tools/old-tool.ts";
import type { CallContext } from "../../tools/tool.ts";
import { findLostText } from "./operation.ts";
import { wordLost } from "./words.ts";

const answerLost = answerInWords(findLostText, wordLost);

export const oldLostTool: OldTool = {
  input: z.strictObject({ lost: z.optional(place), max_tokens: maxTokensOfOld }),
  answer: ({ lost: file, ...args }: { lost: string; max_tokens?: number }, context: CallContext) =>
    answerLost(Object.assign(args, { file }), context),
};
