import * as z from "zod/mini";
import { answerInWords, maxTokensOfOld, type OldTool } from "../../tools/old-tool.ts";
import { previewRewind, rewindRequest } from "./operation.ts";
import { wordRewind } from "./words.ts";

export const oldRewindTool: OldTool = {
  input: z.strictObject({ ...rewindRequest().shape, max_tokens: maxTokensOfOld }),
  answer: answerInWords(previewRewind, (answer) => wordRewind(answer)),
};
