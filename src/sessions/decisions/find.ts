import type { ChunkDecision } from "../../store/memory/memory-records.ts";
import { beginningOf } from "../../text/text-size.ts";
import { handsOverPlan } from "../chunks/kind-terms.ts";
import { notesIn } from "../notes/notes.ts";
import { plainLine, sentencesOf } from "../summaries/prose.ts";
import { contentWords, coverage } from "../summaries/words.ts";
import { isDecision } from "./judge.ts";
import { chosenIn, type Option, optionsIn } from "./options.ts";
import type { Manner } from "./signals.ts";

/** Something that one side said. */
export interface Message {
  by: "human" | "agent";
  text: string;
  turn: number;
}

/** A decision, and the message that holds it. */
export interface SaidDecision extends ChunkDecision {
  message: number;
}

export interface FindOptions {
  /** Words of the project's own that mark a decision. */
  marks?: RegExp | null;
  /** The messages just before, which may list the options. */
  before?: readonly Message[];
}

/** Characters: a human's longer message was pasted, a longer decision is cut. */
const maxTyped = 600;
const maxDecision = 400;
/** Answers between a list of options and the choice. */
const optionsReach = 3;

/** The decisions in messages, in order, each once. */
export function findDecisions(
  messages: readonly Message[],
  { marks = null, before = [] }: FindOptions = {},
): SaidDecision[] {
  const found = new Map<string, SaidDecision>();
  let options: Option[] = [];
  let reach = 0;
  const list = ({ by, text }: Message) => {
    if (by !== "agent") return;
    const listed = optionsIn(text);
    if (listed.length > 1) [options, reach] = [listed, optionsReach];
    else if (--reach <= 0) options = [];
  };
  for (const message of before) list(message);
  messages.forEach((message, i) => {
    const { turn, by } = message;
    for (const text of decisionsOf(message, options, marks)) {
      const key = text.toLowerCase();
      if (!found.has(key)) found.set(key, { text, turn, by, message: i });
    }
    list(message);
  });
  return [...found.values()];
}

function decisionsOf(message: Message, options: readonly Option[], marks: RegExp | null): string[] {
  const { by, text } = message;
  if (by === "human" && text.startsWith(answered)) return answersIn(text);
  const chosen = by === "human" ? chosenIn(text, options) : null;
  const resolved =
    chosen && contentWords(chosen.text).size >= 4 ? [`${chosen.text} (chosen: "${oneLine(text)}")`] : [];
  return [...resolved, ...announcedIn(text), ...sentencesWith(message, marks)];
}

/** The speaker means themselves: a pasted review does not. */
const speaks = /\b(?:i|we|us|our|my|me|let['’]?s|please|yes|yeah|ok|okay|no|nah)\b/i;

export function mannerOf({ by, text }: Pick<Message, "by" | "text">): Manner {
  if (by === "agent") return "answer";
  if (handsOverPlan.test(text)) return "plan";
  return text.length <= maxTyped && speaks.test(text) ? "typed" : "pasted";
}

/** A sentence that begins like this gives the reason for the one before. */
const reasonNext =
  /^\W*(?:because|since|rationale|reason|why|this (?:avoids|prevents|keeps|means|ensures|way)|that way|otherwise)\b/i;

const oneLine = (text: string) => beginningOf(text.replace(/\s+/g, " ").trim(), 120);

function sentencesWith(message: Message, marks: RegExp | null): string[] {
  const { text } = message;
  const manner = mannerOf(message);
  const notes = notesIn(text);
  const sentences = [...sentencesOf(text)];
  return sentences.flatMap((sentence, i) => {
    // A note is a note, and shown as one.
    if (notes.some((note) => note.includes(sentence) || sentence.includes(note))) return [];
    const isMarked = marks !== null && sentence.search(marks) >= 0 && !sentence.endsWith("?");
    if (!isDecision(sentence, manner) && !isMarked) return [];
    const next = sentences[i + 1];
    const because = next !== undefined && reasonNext.test(next) && !next.endsWith("?") ? ` ${next}` : "";
    return [beginningOf(sentence + because, maxDecision)];
  });
}

/** "## Decision: retries", with the text below it. */
const announced =
  /^[\s#>*-]*(?:key |design |final )?decision(?: \d+)?[*_]*\s*[:：](?!\s*(?:whether|how|where|what|which)\b)(.*)$/gim;

function announcedIn(text: string): string[] {
  return [...text.matchAll(announced)].flatMap((match) => {
    const said = plainLine((match[1] ?? "").trim()).replace(/[:\s]+$/, "");
    const [next = ""] = sentencesOf(text.slice(match.index + match[0].length));
    const isAlone = said.split(/\s+/).length >= 5;
    const whole = isAlone || next === "" ? said : said === "" ? next : `${said}: ${next}`;
    return contentWords(whole).size >= 3 ? [beginningOf(`Decision: ${whole}`, maxDecision)] : [];
  });
}

/**
 * How Claude Code reports the human's choice to the agent: `User has answered your questions: "Which?"="This", ...`.
 */
const answered = "User has answered your question";
/** About the next steps in the session, not about the project. */
const flow =
  /what would you like|what('s| is) next|ready to|which (?:pr|issue|file|task) |does (?:this|that|the)|shall i|should i|want me|commit(?:ted)?\?|push|any (?:other|aspects|changes)|are there|how should we (?:handle|proceed)|proceed\b/i;

function answersIn(text: string): string[] {
  return [...text.matchAll(/"([^"]{3,600})"="([^"]{1,600})"/g)].flatMap(([, asked = "", answer = ""]) => {
    if (answer.includes("?")) return [];
    const isOneOf = /\bor\b/.test(asked) && coverage(contentWords(answer), contentWords(asked)) === 1;
    if (flow.test(asked) && !isOneOf) return isDecision(answer, "typed") ? [oneLine(answer)] : [];
    const chosen = answer.replace(/ \(recommended\)$/i, "").trim();
    if (contentWords(`${asked} ${chosen}`).size < 3) return [];
    return [
      `${beginningOf(asked.replace(/\s+/g, " "), 200)} → ${beginningOf(chosen.replace(/\s+/g, " "), 200)}`,
    ];
  });
}

/** The messages of a chunk's text, without tool output. */
export function messagesOf(text: string, turn: number): Message[] {
  return text.split(/\n+(?=\[[A-Z_]+\] )/).flatMap((part): Message[] => {
    const [, label] = /^\[(USER|ASSISTANT)\] /.exec(part) ?? [];
    if (label === undefined) return [];
    return [{ by: label === "USER" ? "human" : "agent", text: part.slice(label.length + 3), turn }];
  });
}
