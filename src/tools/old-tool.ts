import * as z from "zod/mini";
import type { Document } from "../answers/document.ts";
import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import { wordForAgents } from "../answers/word-for-agents.ts";
import { computeItemRoom, fitLines } from "./budget.ts";
import { historyLabel } from "./text.ts";
import { ask, type CallContext } from "./tool.ts";

/** A tool of an earlier version, whose name agents' instructions, skills and other tools' documents still have. It is not listed. */
export interface OldTool {
  input: z.ZodMiniObject;
  /** What the model reads. */
  answer: (args: never, context: CallContext) => Promise<string>;
}

export const maxTokensOfOld = z.optional(z.int().check(z.minimum(200), z.maximum(20_000)));

const defaultTokens = 1000;

/** Answers by an operation, in its own words, as much of them as fits. */
export const answerInWords =
  <O extends Operation>(
    operation: O,
    toDocument: (answer: ResponseOf<O>, request: RequestOf<O>) => Document,
  ) =>
  async (
    { max_tokens: tokens = defaultTokens, ...request }: { max_tokens?: number | undefined },
    context: CallContext,
  ): Promise<string> => {
    const asked = request as RequestOf<O>;
    const lines = wordForAgents(toDocument(await ask(context, operation, asked), asked));
    const shown = fitLines(lines, computeItemRoom(tokens) - historyLabel.length);
    const left = lines.length - shown.length;
    const more = left > 0 ? [`${left} more: ask with a larger limit or max_tokens.`] : [];
    return [historyLabel, ...shown, ...more].join("\n");
  };
