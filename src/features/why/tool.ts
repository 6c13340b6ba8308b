import * as z from "zod/mini";
import { described, place } from "../../protocol/shape-parts.ts";
import { defineTool, maxTokens } from "../../tools/tool.ts";
import { blameRequest } from "../blame/operation.ts";

export const whyTool = defineTool({
  title: "Why lines exist",
  description:
    "Why lines exist: who wrote them, for which request, what was decided, whether it still holds. Call it before you change or remove code that looks odd.",
  input: z.strictObject({
    place: described("FILE:LINES, or FILE for all its authors", place),
    revision: described("as of this commit", blameRequest().shape.rev),
    max_tokens: maxTokens(600),
  }),
  load: async () => (await import("./tool-answer.ts")).answerWhy,
});
