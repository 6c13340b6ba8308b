import { tokenize } from "../../base/text/tokens.ts";
import { isCurrent, isSuperseded, listStoredDecisions } from "../../sessions/decisions/stored.ts";
import { convertNoteToDecision, toDecision } from "../../sessions/decisions/to-decision.ts";
import { extractContentWords } from "../../sessions/summaries/prose.ts";
import { findTakenBack, listSentences, wordTakenBack } from "../../sessions/summaries/said-sentences.ts";
import { askedTokens, rankByWords } from "../../sessions/summaries/sentences.ts";
import { listStoredNotes } from "../../store/memory/chunks/notes.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { toDecisionClaim } from "../recall/claim-words.ts";
import { wordClaim } from "../recall/words.ts";
import { type ContextItem, type ContextSource, makeSeenFilter } from "./source.ts";

/** A prompt that is longer describes its task itself. Characters. */
const maxPromptChars = 600;
const maxTold = 2;
/** The share of a prompt's words, by how rare they are, that a decision has at least; and how many of them. */
const minAbout = { share: 0.6, words: 2 } as const;

/** Words that refer to what was before. */
const refersBack =
  /\b(?:again|still|already|as (?:we|i|you|before|discussed|decided|agreed)|(?:did|have|had) we|we (?:decided|agreed|chose|tried|said|discussed|talked|settled|had)|what (?:did|do|was) (?:we|i)|last (?:time|week|session)|yesterday|earlier|previous(?:ly)?|remember|used to|why did)\b/i;

/** Whether a prompt refers to earlier work. */
const isAboutPast = (prompt: string): boolean => prompt.length <= maxPromptChars && refersBack.test(prompt);

/** What was decided and noted about what a prompt refers back to; nothing where that is not sure. */
export async function toTellOfPast(
  source: ContextSource,
  sessionUid: string,
  prompt: string,
): Promise<ContextItem[]> {
  if (!isAboutPast(prompt)) return [];
  const { memory, until } = source;
  const wanted = askedTokens(prompt);
  const words = [...extractContentWords(prompt)];
  const sees = makeSeenFilter(source, sessionUid);
  const isKnown = (at: number | null) => until === null || (at ?? 0) <= until;
  const isNoteCurrent = isCurrent(memory, until);
  const decisions = [
    ...listStoredDecisions(memory)
      .filter((one) => !sees(one.sessionUid) && isKnown(one.at) && !isSuperseded(one, until))
      .map((one) => ({ ref: `chunk:${one.chunk}`, decision: toDecision(one) })),
    ...listStoredNotes(memory, { until })
      .filter((note) => isNoteCurrent(note) && !(note.sessionUid !== null && sees(note.sessionUid)))
      .map((note) => {
        const session = note.sessionUid === null ? null : findSessionByUid(memory, note.sessionUid);
        return {
          ref: `note:${note.uid}`,
          decision: convertNoteToDecision(note, session, { files: [], score: null }),
        };
      }),
  ];
  const tokens = new Map(decisions.map((one) => [one, new Set(tokenize(one.decision.text))]));
  const ranked = rankByWords(decisions, wanted, (one) => tokens.get(one)!, minAbout.share)
    .map(({ item }) => item)
    .filter((one) => {
      const held = tokens.get(one)!;
      return (
        words.filter((word) => tokenize(word).some((token) => wanted.has(token) && held.has(token))).length >=
        minAbout.words
      );
    })
    .slice(0, maxTold);
  if (ranked.length === 0) return [];
  const said = await listSentences(memory, { files: [], until: formatUntil(until), isOwn: sees });
  return ranked.map(({ ref, decision }) => {
    const claim = toDecisionClaim(decision);
    const later =
      claim.at === null || claim.standing.length > 0
        ? null
        : findTakenBack(said, prompt, {
            decision: decision.text,
            at: Date.parse(claim.at),
            turnId: claim.id ?? "",
          });
    const standing = later === null ? claim.standing : [wordTakenBack(later)];
    const line = wordClaim({ ...claim, standing });
    return {
      ref,
      kind: "Decided",
      quote: decision.text,
      place: "",
      line,
      why: "the prompt refers to it",
      score: null,
    };
  });
}

const formatUntil = (until: number | null): string | undefined =>
  until === null ? undefined : new Date(until).toISOString();
