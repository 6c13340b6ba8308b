import { PommelError } from "../../project/errors.ts";
import { RequestFailed } from "../http/request.ts";

/** What a model says aloud before its answer: Qwen, DeepSeek and others where the server leaves it in. */
const thinking = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/i;

/**
 * The answer alone, without white space around it.
 * @throws PommelError `llm_unavailable` when nothing is left
 */
export function answerText(raw: string, server: string, wasCut: boolean): string {
  const text = raw.replace(thinking, "").trim();
  if (text !== "") return text;
  const failure = new RequestFailed(
    "nonsense",
    `gave an empty answer${wasCut ? ": it was cut off before it began" : ""}`,
  );
  throw new PommelError(
    "llm_unavailable",
    `${server} ${failure.message}.`,
    "Reasoning models may need more room; choose another in llm.model.",
    { cause: failure },
  );
}
