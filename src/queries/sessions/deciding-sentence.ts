import type { Config } from "../../project/config/settings.ts";
import { kindRules } from "../../sessions/chunks/kinds.ts";
import { beginningOf } from "../../text/text-size.ts";

/** A sentence is cut at so many characters. */
const longest = 300;
/** A question at so many, so that its answer is seen. */
const maxQuestionLength = 150;

/** What a chunk says, in a sentence. */
export interface Said {
  text: string;
  /** Whether that decides something; else it is just what the chunk begins with, or is asked for. */
  decides: boolean;
}

interface Sentence {
  text: string;
  /** The human said it. */
  isHumans: boolean;
  /** It announces what comes, and does not say it: a heading, "Here is my recommendation:". */
  isLead: boolean;
  /** An answer that the human chose. */
  isChoice: boolean;
}

/** Finds the sentence of a chunk that says what was decided; with a query, the one with most of its words. */
export function sentenceFinder(config: Config): (text: string, query?: string) => Said {
  const { decision, choosing } = kindRules({ decision: config["sessions.decision_words"] });
  const has = (pattern: RegExp, { text }: Sentence) => text.search(pattern) >= 0;
  return (text, query = "") => {
    const sentences = sentencesIn(text);
    const deciding = [
      (sentence: Sentence) => sentence.isChoice || has(decision, sentence),
      (sentence: Sentence) => sentence.isHumans && has(choosing, sentence),
    ]
      .map((decides) => sentences.filter(decides))
      .find((found) => found.length > 0);
    const words = query.toLowerCase().split(/\s+/);
    const countIn = (sentence: string) =>
      words.filter((word) => sentence.toLowerCase().includes(word)).length;
    const [best = ""] = (deciding ?? sentences)
      .map((sentence) => inFull(sentence, sentences))
      .sort((a, b) => countIn(b) - countIn(a));
    return { text: beginningOf(best, longest), decides: deciding !== undefined };
  };
}

/** What was said, sentence by sentence, without what tools were asked and answered, code, and heads of tables. */
function sentencesIn(text: string): Sentence[] {
  return text
    .replace(/^ *```[\s\S]*?(?:^ *```|$(?![\s\S]))/gm, "")
    .replace(/^ *\|.*\n *\|[\s:|-]+$/gm, "")
    .split(/\n(?=\[[A-Z_]+\] )/)
    .filter((statement) => !/^\[(TOOL_USE|TOOL_RESULT|NOTICE)\]/.test(statement))
    .flatMap((statement) => {
      const isHumans = statement.startsWith("[USER] ");
      const words = statement.replace(/^\[[A-Z]+\] /, "");
      return (
        choicesIn(words) ?? plainSentencesIn(words).map((one) => ({ ...one, isHumans, isChoice: false }))
      );
    })
    .filter((sentence) => /\p{L}/u.test(sentence.text));
}

/** How Claude Code tells the agent what the human chose: `User has answered your questions: "Which?"="This", ...`. */
function choicesIn(statement: string): Sentence[] | null {
  if (!statement.startsWith("User has answered your question")) return null;
  return [...statement.matchAll(/"([^"]+)"="([^"]+)"/g)].map(([, question = "", answer]) => ({
    text: `${beginningOf(question, maxQuestionLength)} → ${answer}`,
    ...{ isHumans: true, isLead: false, isChoice: true },
  }));
}

function plainSentencesIn(statement: string): Pick<Sentence, "text" | "isLead">[] {
  return statement.split(/\n+|(?<=[.!?])\s+(?=\p{Lu})/u).map((written) => ({
    text: written
      .replace(/^[\s#>*|-]+|[\s*_|]+$/g, "")
      .replaceAll("**", "")
      .replace(/ *\| */g, "; "),
    isLead: /^\s*#{1,6}\s|^\s*\*\*[^*]+\*\*:?\s*$|:[\s*_]*$/.test(written),
  }));
}

/** A sentence that only announces, with what it announces. */
function inFull(sentence: Sentence, all: readonly Sentence[]): string {
  if (!sentence.isLead) return sentence.text;
  const next = all.slice(all.indexOf(sentence) + 1).find(({ isLead }) => !isLead);
  return next ? `${sentence.text.replace(/[:*_\s]+$/, "")}: ${next.text}` : sentence.text;
}
