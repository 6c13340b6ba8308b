import type { ToolUse } from "../../agents/agent.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { mentionsNote } from "../../protocol/reading/prompt-notes.ts";
import type { ChunkDecision } from "../../store/memory/memory-records.ts";
import { handsOverPlan } from "../chunks/kinds.ts";
import { parseAnswers, parseQuestions, type QuestionAnswer } from "../questions.ts";
import { extractContentWords, joinWrapped, splitSentences, stripMarkdown } from "../summaries/prose.ts";
import { classifyToolUse, type Turn } from "../turn-content.ts";
import {
  isAgentsChoice,
  isOrder,
  isReason,
  isReasonedChoice,
  isTypedChoice,
  isTypedRule,
  setsApart,
} from "./choice.ts";
import { isChoiceElsewhere } from "./other-languages.ts";

/** A decision, and the line of the session that holds it. */
export interface FoundDecision extends ChunkDecision {
  seq: number;
}

/** Characters: a longer message was pasted, a longer decision is cut. */
const maxTyped = 600;
const maxDecision = 400;

/**
 * Finds decisions in a session's turns, one after the other: a person's answers to questions with options, the choices and
 * rules that they type, options of the agent's that they take, and what the agent says it chose, with its reason, when it
 * closes work on files. What an agent says meanwhile is no decision, however it is put.
 */
export class DecisionReader {
  private readonly known = new Set<string>();
  /** What the agent said last. */
  private lastSaid = "";

  /** @param marks words of the project's own: a sentence with one of them is a decision, whoever says it */
  constructor(private readonly marks: RegExp | null = null) {}

  /** The decisions of the next turn, in order, each once in all turns. */
  read(turn: Turn): FoundDecision[] {
    if (turn.abandoned) return [];
    const found: FoundDecision[] = [];
    const uses = new Map<string, ToolUse>();
    const add = (by: ChunkDecision["by"], seq: number, texts: readonly string[]) => {
      for (const text of texts) {
        const key = text.toLowerCase();
        if (this.known.has(key)) continue;
        this.known.add(key);
        found.push({ text, turn: turn.number, by, seq });
      }
    };
    let closing: { text: string; seq: number } | null = null;
    let hasWritten = false;
    for (const { seq, entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "prompt" && entry.by !== "agent")
          add(entry.by ?? "person", seq, this.findTypedChoices(entry.text));
        else if (entry.kind === "text") {
          add("agent", seq, this.findMarkedChoices(entry.text));
          closing = { text: entry.text, seq };
          this.lastSaid = entry.text;
        } else if (entry.kind === "tool_use") {
          uses.set(entry.id, entry);
          closing = null;
          hasWritten ||= classifyToolUse(entry) === "write";
        }
        if (entry.kind === "tool_result" && !entry.isError) {
          const questions = parseQuestions(uses.get(entry.id)?.input ?? {});
          add("person", seq, parseAnswers(questions, entry.text).flatMap(formatAnswerDecision));
        }
      }
    }
    if (closing !== null && hasWritten) add("agent", closing.seq, findChoices(closing.text, isAgentsChoice));
    return found;
  }

  private findTypedChoices(text: string): string[] {
    const typed = isTyped(text) ? [...optionTaken(text, this.lastSaid), ...findChoices(text, isChoice)] : [];
    return [...typed, ...this.findMarkedChoices(text)];
  }

  private findMarkedChoices(text: string): string[] {
    const { marks } = this;
    if (marks === null) return [];
    return findChoices(text, (sentence) => sentence.search(marks) >= 0 && !sentence.endsWith("?"));
  }
}

const isChoice = (sentence: string) =>
  isTypedChoice(sentence) || isTypedRule(sentence) || isChoiceElsewhere(sentence);

/** "I like option 2", "let's go with approach B": nothing that asks about it, or speaks against it. */
const taking =
  /^[^?]{0,60}?\b(?:like|go with|take|do|use|prefer|choose|pick|implement|try|yes|ok|okay|want|be|definitely|sounds)\b[^?.]{0,40}?\b(option|approach|alternative|solution)\s+#?([1-9A-E])\b(?![^.]*(?:\?|doesn|not work|won['’]?t))/i;
const takenAlone =
  /^(?:option|approach|alternative|solution)\s+#?([1-9A-E])\b(?!\s*(?:doesn|does not|won|is (?:not|wrong|bad)))(?!.*\?)/i;

/** The option of those that the agent named last which a person takes, in the agent's words. */
function optionTaken(text: string, lastSaid: string): string[] {
  const [sentence = ""] = splitSentences(joinWrapped(text));
  const taken = taking.exec(sentence)?.[2] ?? takenAlone.exec(sentence.trim())?.[1];
  if (taken === undefined) return [];
  const named = new RegExp(
    `^[\\s#*>-]*(?:option|approach|alternative|solution)\\s+${taken}\\b[\\s*]*[:.)—–-]+\\s*(.+)$`,
    "im",
  );
  const title = named.exec(lastSaid)?.[1];
  if (title === undefined) return [];
  return [shortenText(`${shortenToLine(sentence, 160)} → ${shortenToLine(title, 200)}`, maxDecision)];
}

/** Choices that give their reason, in what an author wrote down: the body of a commit, a client's notes on the project. */
export function findReasonedChoices(text: string): string[] {
  return findChoices(text, isReasonedChoice);
}

/** Somebody else's words: a code block, a log, a report with headings, a review's severity. */
const pasted =
  /```|^\s*(?:#{1,6} |> |❯|\$ |\d{2}:\d{2}|at \w+)|\b(?:high|medium|low|critical) severity\b|\.\w{1,4}:\d+/im;
/** It asks for an opinion, so nothing is settled. */
const asksBack =
  /(?:thoughts|make[s]? sense|what do you think|wdyt|agree[d]?|or not|right|correct|ok(?:ay)?)\s*\?\s*$/i;

function isTyped(text: string): boolean {
  return (
    text.length <= maxTyped && !handsOverPlan.test(text) && !pasted.test(text) && !asksBack.test(text.trim())
  );
}

function findChoices(text: string, isChoice: (sentence: string, next: string) => boolean): string[] {
  // A note is shown as one, or is somebody else's.
  const lines = text.split("\n").filter((line) => !mentionsNote.test(line));
  const sentences = [...splitSentences(joinWrapped(lines.join("\n")))];
  return sentences.flatMap((sentence, i) => {
    const next = sentences[i + 1] ?? "";
    if (!isChoice(sentence, next)) return [];
    return [shortenText(isReason(next) ? `${sentence} ${next}` : sentence, maxDecision)];
  });
}

const shortenToLine = (text: string, most = 120) => shortenText(stripMarkdown(text), most);

/** About the course of the session, or about what happens, not about what the project shall be. */
const ofTheMoment = new RegExp(
  [
    "what would you like|what(?:'s| is) next|\\bnext\\b|ready to|want me|would you like|would you prefer|do you want (?:me|to (?:discuss|talk|continue|start))",
    "\\b(?:should|shall|can|may|could|do) i\\b|^\\W*(?:can|could|did|have|do|are|were) you\\b|\\b(?:should|shall|can) we (?:proceed|start|continue|discuss)",
    "which (?:prs?|issues?|files?|tasks?|commits?|branch(?:es)?|areas?|topics?|phases?)\\b|\\bprs?\\b|pull requests?|phase number|more questions|are we done",
    "commit(?:ted)?\\?|\\bpush\\b|are you seeing|did you|have you|do you (?:see|have|know)|clarify|what do you mean|reproduce|discuss",
    "how (?:would you like|do you want) (?:me )?to (?:proceed|continue)|proceed\\b|look(?:s)? (?:good|right|correct|ok)|is (?:this|that) (?:correct|right|ok)|review\\b|what happened",
  ].join("|"),
  "i",
);
/** It asks for a fact, whether to do something, or how much of the work is to be done now, and in what order. */
const ofFactOrWork = new RegExp(
  [
    "\\b(?:where|when|what|which|how|why)\\b[^?]*\\b(?:did|was|were|do you (?:believe|think|expect|mean|see))\\b",
    "^\\W*(?:does|is|are|has|have|did|when|do (?!you (?:want|prefer)))\\b",
    "^\\W*(?:also )?(?:fix|update|add|include|ship|run|write|create|delete|push|post|merge|start|wait|finish|continue|apply|document|tag|release)\\b",
    "\\b(?:sweep|clean-?up|autonomous(?:ly)?|one by one|all at once|in one go|without stopping)\\b|\\bloop (?:process|run|be|do|over)\\b",
    "\\b(?:as (?:its|their) own|in (?:a|its own)|as a|separate(?:ly)?|same|another) (?:change|commit|branch)\\b|\\bfirst\\?\\s*$",
    "\\b(?:today|tonight|for the (?:day|moment)|play (?:it|this)|rework|objections?|unreviewed)\\b|\\b(?:first|next) (?:train|phase|step|iteration|milestone|sprint)\\b",
  ].join("|"),
  "i",
);
/** What an option says that is about the session: what the agent will do, or what happened in it. */
const ofTheSession =
  /(?<![\w/])I(?:['’]\w+)?\s+\w|\bthis (?:conversation|session)\b|\bPRs?\b|\byou (?:hit|have|saw)\b/;
/** Letters that English does not have. */
const foreign = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/gu;
/** Of a question: more are of another language, which the rules do not know. */
const maxForeign = 0.2;
/** An answer that settles nothing. */
const unsettled =
  /\?|^(?:something else|other|other \(.*\)|skip|none|not sure|unsure|i don['’]?t know|no idea|you (?:decide|choose|pick)|let me|done|wait|stop|cancel|chat about this|up to you|whatever)\b/i;

/** An answer in own words that asks for something else first. */
const asksFirst =
  /^(?:explain|show|tell|give|list|what|why|how|which|first|before|can|could|do you|is|are|let['’]?s (?:talk|discuss|see)|actually|hmm|start|go|yes|no|ok|okay|sure|both|all|open|check|look|read|run|see)\b[^,;:]{0,24}$/i;
/** Words of an answer in own words. */
const minOwnWords = 4;
const maxOwnWords = 60;

/** What a person answered in own words: it may be a rule, whatever was asked; else it settles what was asked. */
function answeredInOwnWords({ question, said }: QuestionAnswer, isAboutWork: boolean): string[] {
  const count = said.split(/\s+/).length;
  if (count > maxOwnWords || count < minOwnWords || asksFirst.test(said)) return [];
  const isSettled = isChoice(said) || setsApart(said);
  if (isAboutWork) return isSettled ? [shortenText(shortenToLine(said, maxDecision), maxDecision)] : [];
  if (!(isSettled || isOrder(said)) || extractContentWords(said).size < 2) return [];
  return [shortenText(`${shortenToLine(question.text, 200)} → ${shortenToLine(said, 200)}`, maxDecision)];
}

const recommended = /\s*\((?:recommended|default)\)/i;

function formatAnswerDecision(answer: QuestionAnswer): string[] {
  const { question, chosen, said } = answer;
  if (question.options.length < 2 || unsettled.test(said)) return [];
  if ((question.text.match(foreign)?.length ?? 0) > question.text.length * maxForeign) return [];
  const isAboutWork = ofTheMoment.test(question.text) || ofFactOrWork.test(question.text);
  if (chosen.length === 0) return answeredInOwnWords(answer, isAboutWork);
  if (isAboutWork || chosen.some(({ description }) => ofTheSession.test(description))) return [];
  const [only] = chosen;
  const why =
    chosen.length === 1 && only!.description !== "" ? ` (${shortenToLine(only!.description, 160)})` : "";
  const plain = (label: string) => shortenToLine(label, 80).replace(recommended, "");
  const picked = shortenToLine(said, 200).replace(new RegExp(recommended, "gi"), "");
  if (extractContentWords(`${question.text} ${picked}`).size < 3) return [];
  const others = question.options
    .filter((option) => !chosen.includes(option))
    .map(({ label }) => plain(label));
  const isAgainst =
    !chosen.some(({ label }) => recommended.test(label)) &&
    question.options.some(({ label }) => recommended.test(label));
  const against =
    chosen.length > 1 || others.length > maxOthers
      ? ""
      : `, not ${others.join(" or ")}${isAgainst ? ", against the recommendation" : ""}`;
  return [shortenText(`${shortenToLine(question.text, 200)} → ${picked}${why}${against}`, maxDecision)];
}

/** Options that were not chosen, to be named. */
const maxOthers = 3;
