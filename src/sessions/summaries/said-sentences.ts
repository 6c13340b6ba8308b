import { makeFilesMatcher } from "../../base/files/files-matcher.ts";
import { parsePeriod } from "../../base/text/parse-period.ts";
import { tokenize } from "../../base/text/tokens.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { listTurns } from "../../store/memory/sessions/turns.ts";
import { shortenUrls, splitSentences } from "./prose.ts";
import { askedTokens, rankByWords } from "./sentences.ts";

const maxSessions = 500;

/** A prompt that is longer is a document or a log. Characters. */
const maxPromptChars = 6000;

const sentenceChars = { min: 10, max: 300 } as const;

interface SentenceFilter {
  files: readonly string[];
  since?: string | undefined;
  until?: string | undefined;
  branch?: string | undefined;
  isOwn: (session: string) => boolean;
}

export interface Sentence {
  text: string;
  tokens: ReadonlySet<string>;
  session: string;
  author: string | null;
  branch: string | null;
  files: readonly string[];
  turn: number;
  at: number | null;
}

/** The sentences of what people wrote, the latest sessions first. @throws PommelError `usage` for a time that makes no sense */
export async function listSentences(
  memory: Memory,
  { files, branch, isOwn, ...period }: SentenceFilter,
): Promise<Sentence[]> {
  const { since, until } = await parsePeriod(period);
  const isWanted = makeFilesMatcher(files);
  return allSentences(memory).filter(
    (one) =>
      !isOwn(one.session) &&
      (since === null || (one.at ?? 0) >= since) &&
      (until === null || (one.at ?? 0) <= until) &&
      (branch === undefined || one.branch === branch) &&
      (isWanted === null || one.files.some((path) => isWanted(path))),
  );
}

/** To split and tokenise them takes a hundred milliseconds for thousands of turns: once until the memory is written. */
const allSentences = (memory: Memory): readonly Sentence[] =>
  memory.readOnce("sentences of prompts", () => {
    const sentences: Sentence[] = [];
    for (const session of listSessions(memory, { limit: maxSessions })) {
      for (const { number, prompt, startedAt, abandoned, files, branch } of listTurns(memory, session.id)) {
        if (abandoned || prompt.length > maxPromptChars || /^\s*[/<]/.test(prompt)) continue;
        for (const text of splitSentences(prompt)) {
          if (text.length < sentenceChars.min || text.length > sentenceChars.max) continue;
          sentences.push({
            text: shortenUrls(text),
            tokens: new Set(tokenize(text)),
            session: session.uid,
            author: session.author,
            branch: branch ?? session.branch,
            files: files.map(({ path }) => path),
            turn: number,
            at: startedAt,
          });
        }
      }
    }
    return sentences;
  });

export function rankSentences(sentences: readonly Sentence[], wanted: ReadonlySet<string>): Sentence[] {
  const latest = sentences.toSorted((a, b) => (b.at ?? 0) - (a.at ?? 0));
  if (wanted.size === 0) return latest;
  const seen = new Set<string>();
  return rankByWords(latest, wanted, ({ tokens }) => tokens, minShare)
    .map(({ item }) => item)
    .filter(({ text }) => {
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    });
}

/** The share of a question's words, by how rare they are, that a sentence has at least. */
const minShare = 0.5;

/** A word that so many sentences hold does not say what they are about: "run" and "test" say nothing. */
const rare = { share: 0.01, atLeast: 3 } as const;

/** The share of the words that question and decision have in common, by how rare they are, that it has at least. */
const minTakenBackShare = 0.3;

/** Words that take something back. */
const takesBack =
  /\b(?:defer|instead|revert|undo|drop|remove|skip|postpone|back out|go back|not? (?:longer|yet|now|need|use)|don'?t|do not|for now|rather)\b/i;

/**
 * What a person said about the same later that may take it back: what says most of it. Only quoted, as what it means is for whoever reads it
 * to judge.
 */
export function findTakenBack(
  sentences: readonly Sentence[],
  about: string,
  { decision, at, turnId }: { decision: string; at: number; turnId: string },
): Sentence | null {
  const decided = new Set(tokenize(decision));
  const common = new Set([...askedTokens(about)].filter((token) => decided.has(token)));
  const most = Math.max(rare.atLeast, rare.share * sentences.length);
  const telling = [...common].filter(
    (token) => sentences.filter(({ tokens }) => tokens.has(token)).length <= most,
  );
  const ranked = rankByWords(sentences, common, ({ tokens }) => tokens, minTakenBackShare).map(
    ({ item }) => item,
  );
  const isLater = ({ at: then, session, turn }: Sentence) =>
    (then ?? 0) > at && formatTurnPlace(session, turn) !== turnId;
  return (
    ranked.find(
      (one) => isLater(one) && takesBack.test(one.text) && telling.some((token) => one.tokens.has(token)),
    ) ?? null
  );
}

/** Of a sentence. Characters. */
const excerpt = { before: 40, after: 70 } as const;

/** What may take a decision back, with the words that do, and where they are. */
export function wordTakenBack({ text, author, session, turn }: Sentence): string {
  const at = takesBack.exec(text)?.index ?? 0;
  const [from, to] = [Math.max(at - excerpt.before, 0), Math.min(at + excerpt.after, text.length)];
  const part = `${from > 0 ? "…" : ""}${text.slice(from, to).trim()}${to < text.length ? "…" : ""}`;
  return `later ${author ?? "the user"}: “${part}” ${formatTurnPlace(session, turn)}`;
}
