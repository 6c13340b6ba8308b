import { splitSentences, stripMarkdown } from "../../sessions/summaries/prose.ts";
import type { Turn } from "../../sessions/turn-content.ts";

/** What an agent's closing words say that it tried and gave up. English only. */

export interface Abandoned {
  /** The sentence, as it was said. */
  said: string;
  /** The sentence after it, where that says what held instead. */
  instead: string | null;
}

const sentenceChars = { min: 20, max: 320 } as const;
const lead = /^(?:[-*•\d.)\s]*)(?:(?:so|then|therefore|also|and|finally),?\s+)?/i;
/** "I reverted the cache", "Rolled back to the old mapping": not "reverted files", which is what a program is about. */
const undid =
  /^(?:(?:i|we)(?:['’]ve| have)?\s+|(?:i|we) had to (?=revert|undo|abandon))?(?:reverted|rolled back|backed out|undid|gave up on|revert|undo)\s+(?!files?\b|commits?\b|changes? (?:in|are)\b)\S/i;
const leftWay =
  /^(?:(?:i|we)(?:['’]ve| have)?\s+)?(?:abandoned|dropped|scrapped|discarded)\s+(?:the|that|this|my)\s+(?:\S+\s+){0,4}(?:approach|idea|attempt|plan|experiment|workaround)\b/i;
const didNotWork =
  /^(?:the|that|this|my|using|first|initial)\b.{3,100}?\b(?:did not|didn['’]?t|does not|doesn['’]?t|could not|couldn['’]?t)\s+work\b.{0,160}?(?:\b(?:because|since|as)\b|[:;—])/i;
const tried = /^(?:i|we)(?:['’]ve| have)?\s+tried\b.{5,160}?(?:,| —| -)\s*(?:but|which)\b/i;
const namesInstead =
  /^(?:instead|so (?:i|we|it|the)|now (?:it|the|i|we)|(?:i|we) (?:now )?(?:use|switched|went))\b/i;
/** What is asked, planned or told of somebody else. */
const isNoAct = /\?\s*$|\b(?:if you|you can|would you|should i|let me|want me)\b/i;

/** In the last words of a turn. */
export function findAbandoned({ lines }: Pick<Turn, "lines">): Abandoned[] {
  const texts = lines.flatMap(({ entries }) =>
    entries.flatMap((entry) => (entry.kind === "text" ? [entry.text] : [])),
  );
  const sentences = [...splitSentences(texts.at(-1) ?? "")].map((sentence) => stripMarkdown(sentence).trim());
  return sentences.flatMap((said, i) => {
    if (said.length < sentenceChars.min || said.length > sentenceChars.max || isNoAct.test(said)) return [];
    const told = said.replace(lead, "");
    if (![undid, leftWay, didNotWork, tried].some((pattern) => pattern.test(told))) return [];
    const next = sentences[i + 1] ?? "";
    return [{ said, instead: namesInstead.test(next) && next.length <= sentenceChars.max ? next : null }];
  });
}
