import type { ToolUse } from "../../agents/agent.ts";
import { memoize } from "../../base/text/memoize.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { mentionsNote } from "../../protocol/reading/prompt-notes.ts";
import type { ChunkDecision } from "../../store/memory/memory-records.ts";
import { handsOverPlan } from "../chunks/kinds.ts";
import type { WordPattern } from "../chunks/word-pattern.ts";
import { parseAnswers, parseQuestions, type QuestionAnswer } from "../questions.ts";
import { extractContentWords, joinWrapped, splitSentences, stripMarkdown } from "../summaries/prose.ts";
import { classifyToolUse, type Turn } from "../turn-content.ts";
import {
  isAgentsChoice,
  isOrder,
  isPreference,
  isReason,
  isReasonedChoice,
  isSettledInPassing,
  isTypedChoice,
  isTypedOrder,
  isTypedRule,
  setsApart,
  takesBack,
} from "./choice.ts";
import { isChoiceElsewhere } from "./other-languages.ts";
import { isNumberedReply, isRepeated, pairTypedAnswers, type TypedAnswer } from "./typed-answers.ts";

/** A decision, and the line of the session that holds it. */
export interface FoundDecision extends ChunkDecision {
  seq: number;
}

/** Characters: a longer message was pasted, unless it has few lines; a longer decision is cut. */
const maxTyped = 600;
const maxDictated = { characters: 2_500, lines: 5 } as const;
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
  /** What was decided last, before the turn that is read. */
  private decided: { text: string; turn: number } | null = null;
  private turn = 0;

  /** @param marks words of the project's own: a sentence with one of them is a decision, whoever says it */
  constructor(private readonly marks: WordPattern | null = null) {}

  /** The decisions of the next turn, in order, each once in all turns. */
  read(turn: Turn): FoundDecision[] {
    if (turn.abandoned) return [];
    const found: FoundDecision[] = [];
    this.turn = turn.number;
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
    if (closing !== null && hasWritten) add("agent", closing.seq, findAllOfAgent(closing.text));
    const last = found.at(-1);
    if (last !== undefined) this.decided = { text: last.text, turn: turn.number };
    return found;
  }

  private findTypedChoices(text: string): string[] {
    const answers = pairTypedAnswers(this.lastSaid, text).flatMap(formatTypedAnswer);
    // What answers by number says nothing alone.
    const typed = takeTyped(
      answers.length === 0
        ? text
        : text
            .split("\n")
            .filter((line) => !isNumberedReply(line))
            .join("\n"),
    );
    if (typed === "") return [...answers, ...this.findMarkedChoices(text)];
    const chosen = answers.length > 0 ? answers : optionTaken(typed, this.lastSaid);
    // An option that is taken is the choice; its number alone says nothing.
    const others = findAllTyped(typed).filter(
      (choice) => (chosen.length === 0 || !namesOption.test(choice)) && !isRepeated(choice, this.lastSaid),
    );
    return [...chosen, ...others, ...this.findTakenBack(typed), ...this.findMarkedChoices(text)];
  }

  /** What was decided shortly before, with the words that take it back: so it stands against it. */
  private findTakenBack(text: string): string[] {
    const { decided } = this;
    const [sentence = ""] = splitSentences(text);
    if (decided === null || decided.turn < this.turn - maxTurnsBack || !takesBack(sentence)) return [];
    return [shortenText(`${shortenToLine(sentence, 120)} (“${decided.text}”)`, maxDecision)];
  }

  private findMarkedChoices(text: string): string[] {
    const { marks } = this;
    if (marks === null) return [];
    return findChoices(text, (sentence) => marks.isIn(sentence) && !sentence.endsWith("?"));
  }
}

/** Turns after which "revert that" is about something else. */
const maxTurnsBack = 2;
const namesOption = /^\W*(?:option|approach|alternative|solution)\s+#?[1-9A-E]\b/i;

const isChoice = (sentence: string, next = "", length = Number.POSITIVE_INFINITY) =>
  isTypedChoice(sentence) ||
  isTypedRule(sentence, length) ||
  isTypedOrder(sentence, { next, length }) ||
  isPreference(sentence) ||
  isSettledInPassing(sentence, length) ||
  isChoiceElsewhere(sentence);

/** "I like option 2", "let's go with approach B": nothing that asks about it, or speaks against it. */
const taking =
  /^[^?]{0,60}?\b(?:like|go (?:with|for)|take|do|use|prefer|choose|pick|implement|try|yes|ok|okay|want|be|definitely|sounds|seems|looks)\b[^?.]{0,40}?\b(option|approach|alternative|solution)\s+#?([1-9A-E])\b(?![^.]*(?:\?|doesn|not work|won['’]?t))/i;
const takenAlone =
  /^(?:option|approach|alternative|solution)\s+#?([1-9A-E])\b(?!\s*(?:doesn|does not|won|is (?:not|wrong|bad)))(?!.*\?)/i;

/** "Let's patch for option 1.": what is said of it in so few words takes it. */
const takenBriefly =
  /^(?!.*(?:\?|n['’]t\b|\bnot\b|\bwhy\b|\bwhat\b))(?:\S+\s+){0,6}?(?:option|approach|alternative|solution)\s+#?([1-9A-E])\W*$/i;

/** "3 is better", "go with B", "#2 please": of what was offered as a choice. */
const takenByMark =
  /^(?:(?:yes|yeah|ok|okay|sure|please|let['’]?s|i(?:['’]d| would| do)? (?:like|prefer|want|think|choose|pick)|go (?:with|for)|do|use|take|pick|choose|number|no\.)[\s,]+){0,3}#?([1-9]|[A-E](?=\s+(?:is|looks|sounds|please)\b|\s*[,;.!]|\s*$))(?:\s+(?:is (?:the )?(?:better|best|fine|good)|looks|sounds|please|because|since|as|and)\b|\s*[,;.!](?!\d)|\s*$)/i;
const offers =
  /\b(?:options?|approach(?:es)?|alternatives?|choices?|either|which (?:one|of)|choose|prefer|recommend\w*)\b/i;
/** A list of what there is to do is no choice of how. */
const listsWork = /\b(?:todos?|backlog|(?:open|pending|next) (?:tasks?|items?|issues?|steps?))\b/i;
/** What is done once, and settles nothing. */
const isPassing =
  /^\W*(?:wait for (?:the )?(?:build|ci|pipeline|deploy\w*|review|tests?|run|it)|try|retry|restart|re-?run|run|check|clear|test|verify|commit|push|merge|deploy|continue|stop|skip|proceed|nothing)\b|\binvalidation\b/i;
/** A name from the code, as an answer gives it. */
const takenName =
  /^(?:(?:[Yy]es|[Yy]eah|[Oo]k|[Oo]kay|[Ii] (?:want|prefer|like|choose|pick)|[Ii](?:['’]d| would) (?:go with|use|prefer|like)|[Ll]et['’]?s (?:use|go with|call it)|[Gg]o with|[Uu]se|[Cc]all it|[Tt]ake|[Nn]ame it)[\s,]+){1,2}[`"“]?([A-Za-z][\w.]*(?:[-_][\w.-]*\w|[a-z][A-Z]\w*))[`"”]?(?=\s*(?:[.,;!]|$)|\s+(?:and|because|since)\b)/;

/** Sentences of a prompt that may take an option: what follows is about other things. */
const maxTakingSentences = 3;

/** The option of those that the agent named last which a person takes, in the agent's words. */
function optionTaken(text: string, lastSaid: string): string[] {
  const sentences = [...splitSentences(joinWrapped(text))].slice(0, maxTakingSentences);
  for (const [i, sentence] of sentences.entries()) {
    const title = findOption(sentence, lastSaid) ?? (i === 0 ? findOffered(sentence, lastSaid) : undefined);
    if (title !== undefined)
      return [shortenText(`${shortenToLine(sentence, 160)} → ${shortenToLine(title, 200)}`, maxDecision)];
  }
  return [];
}

/** What the agent said of an option by its number or letter. */
function findOption(sentence: string, lastSaid: string): string | undefined {
  const taken =
    taking.exec(sentence)?.[2] ??
    (takenAlone.exec(sentence.trim()) ?? takenBriefly.exec(sentence.trim()))?.[1];
  const isOffer = offers.test(lastSaid) && !listsWork.test(lastSaid);
  const mark = taken ?? (isOffer ? takenByMark.exec(sentence.trim())?.[1] : undefined);
  if (mark === undefined) return undefined;
  const note = "(?:\\([^)\\n]{0,60}\\))?[\\s*]*";
  const named = new RegExp(
    `^[\\s#*>-]*(?:option|approach|alternative|solution)\\s+#?${mark}\\b[\\s*]*${note}[:.)—–-]+\\s*(.+)$`,
    "im",
  );
  const listed = new RegExp(`^[\\s>]*(?:#+\\s*|[-*]\\s+)?(?:\\*\\*)?${mark}[.):]\\s+(.+)$`, "m");
  const inTable = new RegExp(
    `^\\|\\s*\\**(?:option\\s+)?${mark}\\**[.:]?\\s*(?:\\||[—–-])\\s*([^|\\n]+)`,
    "im",
  );
  // What is offered stands at the end; a list before it may be of findings.
  const title = [named, listed, inTable].flatMap(
    (pattern) => [...lastSaid.matchAll(new RegExp(pattern, `${pattern.flags}g`))].at(-1)?.[1] ?? [],
  )[0];
  const plain = stripMarkdown(title ?? "");
  const isWork = taken === undefined && /^(?:fix|update)\b|\?$/i.test(plain);
  return isPassing.test(plain) || isWork ? undefined : title;
}

/** The line with a name that the agent offered, which a person answers with. */
function findOffered(sentence: string, lastSaid: string): string | undefined {
  const name = takenName.exec(sentence.trim())?.[1];
  if (name === undefined || !lastSaid.includes("?")) return undefined;
  return lastSaid.split("\n").find((line) => line.includes(name));
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

/** What a person typed of a prompt: all of a short one, of a longer one what introduces what was pasted; "" for none. */
function takeTyped(text: string): string {
  const [above = "", ...pastedBelow] = text.split(/:\s*\n|```/);
  const isDictated =
    text.length <= maxDictated.characters && text.trim().split("\n").length <= maxDictated.lines;
  const own = text.length <= maxTyped || isDictated ? text : pastedBelow.length > 0 ? above : "";
  const isOwn =
    (isDictated || own.length <= maxTyped) &&
    !handsOverPlan.test(text) &&
    !pasted.test(own) &&
    !asksBack.test(own.trim());
  return isOwn ? own : "";
}

function findChoices(
  text: string,
  isChoice: (sentence: string, next: string, length: number) => boolean,
): string[] {
  // A note is shown as one, or is somebody else's.
  const lines = text.split("\n").filter((line) => !mentionsNote.test(line));
  const sentences = [...splitSentences(joinWrapped(lines.join("\n")))];
  return sentences.flatMap((sentence, i) => {
    const next = sentences[i + 1] ?? "";
    if (!isChoice(sentence, next, text.length)) return [];
    const said = sentence.replace(/^https?:\/\/\S+\s+/, "");
    return [shortenText(isReason(next) ? `${said} ${next}` : said, maxDecision)];
  });
}

/** A session is read for its chunks and then for its summary, and what is said last again with what follows. Texts. */
const maxRemembered = 200;
const findAllTyped = memoize(maxRemembered, (text) => findChoices(text, isChoice));
const findAllOfAgent = memoize(maxRemembered, (text) => findChoices(text, isAgentsChoice));

const shortenToLine = (text: string, most = 120) => shortenText(stripMarkdown(text), most);

/** About the course of the session, or about what happens, not about what the project shall be. */
const ofTheMoment = new RegExp(
  [
    "what would you like|what(?:'s| is) next|\\bnext\\b|ready to|want (?:me|this|that|it|these|them)\\b|would you like|would you prefer|do you want (?:me|to (?:discuss|talk|continue|start))",
    "\\b(?:should|shall|can|may|could|do) i\\b(?!/)|^\\W*(?:can|could|did|have|do|are|were) you\\b|\\b(?:should|shall|can) we (?:proceed|start|continue|discuss)",
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
    // What somebody thinks, or has at hand, rather than how it shall be.
    "^\\W*who(?:['’]s| is| are)\\b|\\bin your (?:own )?words\\b|^\\W*why now\\b|\\bwhat(?:['’]s| is) (?:happening|on your mind|missing)\\b|\\banything (?:else|to add)\\b|\\b(?:tell|walk) me\\b",
    "^\\W*(?:does|is|are|has|have|did|when (?:did|do|does|is|was|will)|do (?!you (?:want|prefer)))\\b",
    "^\\W*(?:also )?(?:fix|update|add|include|ship|run|write|create|delete|push|post|merge|start|wait|finish|continue|apply|document|tag|release)\\b",
    "\\b(?:tomorrow|overnight|tonight|untracked|leftover)\\b|\\bwhat (?:should|does|do you)\\b[^?]*\\bmean\\b",
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
  /\?|^(?:no[,.]? )?i (?:do not|don['’]?t) have (?:any|such|one|that|it|nothing)\b|^(?:something else|other|other \(.*\)|skip|none|not sure|unsure|i don['’]?t know|no idea|you (?:decide|choose|pick)|let me|done|wait|stop|cancel|chat about this|up to you|whatever)\b/i;

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
  return [formatAnswer(question.text, said)];
}

const formatAnswer = (question: string, said: string): string =>
  shortenText(`${shortenToLine(question, 200)} → ${shortenToLine(said, 200)}`, maxDecision);

/** It asks what something is, not how it shall be. */
const refersTo = /\b(?:refers? to|(?:do you|does (?:it|this|that)) mean|meant by)\b/i;
/** "All" of what? */
const namesAll = /^\W*(?:all|any|none|neither)\W*$/i;
/** It leaves open what was asked. */
const leaves =
  /^\W*(?:ideally|probably|maybe|perhaps|possibly|i (?:think|guess|don['’]?t)|depends|both\W*$|either)\b|\bi think\b/i;

/** An answer that was typed settles what was asked, unless that is about the course of the work. */
function formatTypedAnswer({ question, said }: TypedAnswer): string[] {
  if (ofTheMoment.test(question) || ofFactOrWork.test(question)) return [];
  if (refersTo.test(question) || leaves.test(said) || namesAll.test(said)) return [];
  if (unsettled.test(said) || ofTheSession.test(said) || isPassing.test(said) || isForeign(question))
    return [];
  if (extractContentWords(`${question} ${said}`).size < 3) return [];
  return [formatAnswer(question, said)];
}

const isForeign = (text: string): boolean => (text.match(foreign)?.length ?? 0) > text.length * maxForeign;

const recommended = /\s*\((?:recommended|default)\)/i;

function formatAnswerDecision(answer: QuestionAnswer): string[] {
  const { question, chosen, said } = answer;
  if (question.options.length < 2 || unsettled.test(said)) return [];
  if (isForeign(question.text)) return [];
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
