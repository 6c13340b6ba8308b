import type { ToolUse } from "../../agents/agent.ts";
import type { ChunkDecision } from "../../store/memory/memory-records.ts";
import { beginningOf } from "../../text/text-size.ts";
import { handsOverPlan } from "../chunks/kind-terms.ts";
import { notesIn } from "../notes/notes.ts";
import { answersIn, type QuestionAnswer, questionsIn } from "../questions.ts";
import { joinWrapped, plainLine, sentencesOf } from "../summaries/prose.ts";
import { contentWords } from "../summaries/words.ts";
import type { Turn } from "../turn-content.ts";
import { isReason, isReasonedChoice, isTypedChoice } from "./choice.ts";
import { chosenIn, type Option, optionsIn } from "./options.ts";

/** A decision, and the line of the session that holds it. */
export interface FoundDecision extends ChunkDecision {
  seq: number;
}

/** Characters: a longer message was pasted, a longer decision is cut. */
const maxTyped = 600;
const maxDecision = 400;
/** Answers between a list of options and the choice. */
const optionsReach = 3;
/** Words with a meaning of their own that an option needs to be understood alone. */
const minOption = 5;

/**
 * Finds decisions in a session's turns, one after the other: a person's answers to questions with options, and the
 * choices that they type. What an agent says is no decision, however it is put.
 */
export class DecisionReader {
  private options: Option[] = [];
  private reach = 0;
  private readonly known = new Set<string>();

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
    for (const { seq, entries } of turn.lines) {
      for (const entry of entries) {
        if (entry.kind === "prompt") add("human", seq, this.typedIn(entry.text));
        else if (entry.kind === "text") {
          add("agent", seq, this.markedIn(entry.text));
          this.list(entry.text);
        } else if (entry.kind === "tool_use") uses.set(entry.id, entry);
        else if (entry.kind === "tool_result" && !entry.isError) {
          const questions = questionsIn(uses.get(entry.id)?.input ?? {});
          add("human", seq, answersIn(questions, entry.text).flatMap(answered));
        }
      }
    }
    return found;
  }

  /** Remembers the options that a message of the agent lists, for the next prompts. */
  private list(text: string): void {
    const listed = optionsIn(text);
    if (listed.length > 1) [this.options, this.reach] = [listed, optionsReach];
    else if (--this.reach <= 0) this.options = [];
  }

  private typedIn(text: string): string[] {
    const chosen = chosenIn(text, this.options);
    const resolved =
      chosen === null || contentWords(chosen.text).size < minOption
        ? []
        : [`${chosen.text} (chosen: "${oneLine(text)}")`];
    return [...resolved, ...(isTyped(text) ? choicesIn(text, isTypedChoice) : []), ...this.markedIn(text)];
  }

  private markedIn(text: string): string[] {
    const { marks } = this;
    if (marks === null) return [];
    return choicesIn(text, (sentence) => sentence.search(marks) >= 0 && !sentence.endsWith("?"));
  }
}

/** Choices that give their reason, in what an author wrote down: the body of a commit, a client's notes on the project. */
export function reasonedChoices(text: string): string[] {
  return choicesIn(text, isReasonedChoice);
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

function choicesIn(text: string, isChoice: (sentence: string, next: string) => boolean): string[] {
  const notes = notesIn(text);
  const sentences = [...sentencesOf(joinWrapped(text))];
  return sentences.flatMap((sentence, i) => {
    // A note is a note, and shown as one.
    if (notes.some((note) => note.includes(sentence) || sentence.includes(note))) return [];
    const next = sentences[i + 1] ?? "";
    if (!isChoice(sentence, next)) return [];
    return [beginningOf(isReason(next) ? `${sentence} ${next}` : sentence, maxDecision)];
  });
}

const oneLine = (text: string, most = 120) => beginningOf(plainLine(text), most);

/** About the course of the session, or about what happens, not about what the project shall be. */
const ofTheMoment =
  /what would you like|what(?:'s| is) next|\bnext\b|ready to|which (?:prs?|issues?|files?|tasks?|commits?|branch(?:es)?)\b|^\W*(?:shall|should|can|may|could) (?:i|we proceed|we start|we continue)\b|want me|would you like|do you want me|commit(?:ted)?\?|\bpush\b|are you seeing|did you|have you|do you (?:see|have|know)|clarify|what do you mean|how (?:would you like|do you want) (?:me )?to (?:proceed|continue)|proceed\b|look(?:s)? (?:good|right|correct|ok)|is (?:this|that) (?:correct|right|ok)|review\b|what happened/i;
/** An answer that settles nothing. */
const unsettled =
  /\?|^(?:something else|other|other \(.*\)|skip|none|not sure|unsure|i don['’]?t know|no idea|you (?:decide|choose|pick)|let me|can you|could you|wait|stop|cancel|chat about this|up to you|whatever)\b/i;

function answered({ question, chosen, said }: QuestionAnswer): string[] {
  if (question.options.length < 2 || ofTheMoment.test(question.text) || unsettled.test(said)) return [];
  if (chosen.length === 0 && (said.length > 240 || contentWords(said).size < 3)) return [];
  const [only] = chosen;
  const why = chosen.length === 1 && only!.description !== "" ? ` (${oneLine(only!.description, 160)})` : "";
  const picked = oneLine(said, 200).replace(/ \(recommended\)/gi, "");
  if (contentWords(`${question.text} ${picked}`).size < 3) return [];
  return [beginningOf(`${oneLine(question.text, 200)} → ${picked}${why}`, maxDecision)];
}
