import * as z from "zod/mini";
import { places } from "../../protocol/shape-parts.ts";
import { answerInWords, maxTokensOfOld, type OldTool } from "../../tools/old-tool.ts";
import { limit } from "../../tools/tool.ts";
import { findRelated } from "./operation.ts";
import { wordRelated } from "./words.ts";

export const oldRelatedTool: OldTool = {
  input: z.strictObject({ files: z.optional(places), limit: limit(100), max_tokens: maxTokensOfOld }),
  answer: answerInWords(findRelated, (answer) => wordRelated(answer, "", false)),
};
