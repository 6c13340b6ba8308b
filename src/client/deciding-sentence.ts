import type { Config } from "../project/settings.ts";
import { kindRules } from "../sessions/kinds.ts";
import { beginningOf } from "../sessions/text-size.ts";

/** A sentence is cut at so many characters. */
const longest = 300;

interface Sentence {
  text: string;
  /** It announces what comes, and does not say it: a heading, "Here is my recommendation:". */
  isLead: boolean;
}

/** Finds the sentence of a chunk that says what was decided; with a query, the one with most of its words. */
export function sentenceFinder(config: Config): (text: string, query?: string) => string {
  const { decision, choosing } = kindRules({ decision: config["sessions.decision_words"] });
  return (text, query = "") => {
    const sentences = sentencesIn(text);
    const deciding = [decision, choosing]
      .map((pattern) => sentences.filter((sentence) => sentence.text.search(pattern) >= 0))
      .find((found) => found.length > 0);
    const words = query.toLowerCase().split(/\s+/);
    const countIn = (sentence: string) =>
      words.filter((word) => sentence.toLowerCase().includes(word)).length;
    const [best = ""] = (deciding ?? sentences)
      .map((sentence) => inFull(sentence, sentences))
      .sort((a, b) => countIn(b) - countIn(a));
    return beginningOf(best, longest);
  };
}

/** What was said, sentence by sentence, without what tools were asked and answered, code, and heads of tables. */
function sentencesIn(text: string): Sentence[] {
  return text
    .replace(/^ *```[\s\S]*?(?:^ *```|$(?![\s\S]))/gm, "")
    .replace(/^ *\|.*\n *\|[\s:|-]+$/gm, "")
    .split(/\n(?=\[[A-Z_]+\] )/)
    .filter((said) => !/^\[(TOOL_USE|TOOL_RESULT|NOTICE)\]/.test(said))
    .flatMap((said) => said.replace(/^\[[A-Z]+\] /, "").split(/\n+|(?<=[.!?])\s+(?=\p{Lu})/u))
    .map((written) => ({
      text: written
        .replace(/^[\s#>*|-]+|[\s*_|]+$/g, "")
        .replaceAll("**", "")
        .replace(/ *\| */g, "; "),
      isLead: /^\s*#{1,6}\s|^\s*\*\*[^*]+\*\*:?\s*$|:[\s*_]*$/.test(written),
    }))
    .filter((sentence) => /\p{L}/u.test(sentence.text));
}

/** A sentence that only announces, with what it announces. */
function inFull(sentence: Sentence, all: readonly Sentence[]): string {
  if (!sentence.isLead) return sentence.text;
  const next = all.slice(all.indexOf(sentence) + 1).find(({ isLead }) => !isLead);
  return next ? `${sentence.text.replace(/[:*_\s]+$/, "")}: ${next.text}` : sentence.text;
}
