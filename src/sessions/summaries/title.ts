import { beginningOf } from "../../text/text-size.ts";
import type { Turn } from "../turn-content.ts";
import { type Ask, askOf } from "./ask.ts";

const maxTitleLength = 80;
/** An ask of fewer words is kept in mind, and a better one looked for. */
const enoughWords = 3;
/** Prompts that are looked at. */
const promptsToTry = 10;

/**
 * A short title out of the first prompts, up to 80 characters: for a session that its agent gave none.
 * @returns null when nothing was asked
 */
export function sessionTitle(turns: Iterable<Turn>): string | null {
  let best: Ask | null = null;
  let tried = 0;
  for (const { lines, abandoned } of turns) {
    if (abandoned) continue;
    for (const { entries } of lines) {
      for (const entry of entries) {
        if (entry.kind !== "prompt") continue;
        const ask = askOf(entry.text, 240);
        if (ask !== null && ask.words.size >= enoughWords) return titleOf(ask);
        if (ask !== null && ask.words.size > (best?.words.size ?? 0)) best = ask;
        if (++tried >= promptsToTry) return best && titleOf(best);
      }
    }
  }
  return best && titleOf(best);
}

/** The first sentence, or the first clause that is long enough. */
function titleOf({ text }: Ask): string {
  const [sentence = text] = text.split(/(?<=[^.][.!?])\s/, 1);
  const clause =
    sentence.length > maxTitleLength
      ? (sentence.split(/(?<=.{25})(?:[,;:] | - | – | — )/, 1)[0] ?? "")
      : sentence;
  return beginningOf(clause.replace(/[\s.:;,!]+$/, ""), maxTitleLength);
}
