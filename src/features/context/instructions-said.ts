import { splitSentences } from "../../sessions/summaries/prose.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";

/** Sentences of a person that hold for the rest of a session, and that a summary loses first. */
export interface InstructionSaid {
  text: string;
  turn: number;
}

const maxInstructions = 6;
/** A longer prompt is a plan or a document, which the agent has in a file or as its task. Characters. */
const maxPromptChars = 2500;
const sentenceChars = { min: 12, max: 220 } as const;

/** What asks for a manner of work rather than for a thing. */
const holdsOn =
  /\b(?:never(?! mind)|always|from now on|(?:don'?t|do not|stop) (?:stash|commit|change|touch|push|add|use|create|delete|remove|run|merge|edit|write|rewrite|refactor|rename|ask|do|make|put|include|mention|amend|rebase)\w*|only (?:use|change|touch|commit|run|edit)|without asking|ask me (?:before|first)|make sure|be careful|remember (?:to|that)|i did(?: not|n't) (?:say|ask)|no need to)\b/i;
/** What is quoted from a program or a review is not said by the person. */
const isQuoted =
  /^(?:[>|$#]|\S+:\d+|error|warning|\w+Error\b)|https?:|\bshould(?:n't| not)? (?:return|be|have)\b/i;

/** The latest of them. */
export function listInstructions(
  memory: Memory,
  session: SessionRecord,
  until: number | null,
): InstructionSaid[] {
  const seen = new Set<string>();
  return listTurns(memory, session.id)
    .filter(
      ({ abandoned, prompt, startedAt }) =>
        !abandoned && prompt.length <= maxPromptChars && (until === null || (startedAt ?? 0) <= until),
    )
    .flatMap(({ number, prompt }) =>
      /^\s*[/<]/.test(prompt) ? [] : [...splitSentences(prompt)].map((text) => ({ text, turn: number })),
    )
    .filter(({ text }) => {
      const isOne =
        text.length >= sentenceChars.min &&
        text.length <= sentenceChars.max &&
        holdsOn.test(text) &&
        !isQuoted.test(text) &&
        !text.endsWith("?");
      const isNew = isOne && !seen.has(text);
      seen.add(text);
      return isNew;
    })
    .slice(-maxInstructions);
}
