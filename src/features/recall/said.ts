import picomatch from "picomatch";
import { sentencesOf, shortenUrls } from "../../sessions/summaries/prose.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listSessions } from "../../store/memory/sessions/sessions.ts";
import { turnsOf } from "../../store/memory/sessions/turns.ts";
import { parseWhen } from "../../text/dates.ts";
import { tokensOf } from "../../text/tokens.ts";
import { isoTime } from "../status/describe-index.ts";
import { placeOfTurn } from "./claims.ts";
import type { Claim } from "./operation.ts";
import { askedTokens } from "./sentences.ts";

/** A person's own words: sentences of prompts, not what a search finds around them. */

const maxSessions = 500;
const maxClaims = 12;
/** A prompt that is longer is a document or a log. Characters. */
const maxPromptChars = 6000;
const sentenceChars = { min: 10, max: 300 } as const;
/** The share of a question's words, by how rare they are, that a sentence has at least. */
const minShare = 0.5;

interface Asked {
  about: string;
  files: readonly string[];
  since?: string | undefined;
  until?: string | undefined;
  branch?: string | undefined;
  isOwn: (session: string) => boolean;
}

interface Sentence {
  text: string;
  tokens: ReadonlySet<string>;
  session: string;
  author: string | null;
  turn: number;
  at: number | null;
}

/** What a person said about something, what says most of it first, then the latest. */
export async function findSaid(
  memory: Memory,
  { about, files, since, until, branch, isOwn }: Asked,
): Promise<Claim[]> {
  const from = since === undefined ? null : await parseWhen(since, "since");
  const to = until === undefined ? null : await parseWhen(until, "until");
  const isWanted =
    files.length === 0
      ? null
      : picomatch(
          files.flatMap((one) => [one, `${one}/**`]),
          { dot: true },
        );
  const sentences: Sentence[] = [];
  const sessions = listSessions(memory, {
    since: from,
    until: to,
    branch: branch ?? null,
    limit: maxSessions,
  });
  for (const session of sessions) {
    if (isOwn(session.uid)) continue;
    for (const { number, prompt, startedAt, abandoned, files: touched } of turnsOf(memory, session.id)) {
      if (abandoned || prompt.length > maxPromptChars || /^\s*[/<]/.test(prompt)) continue;
      if (isWanted !== null && !touched.some(({ path }) => isWanted(path))) continue;
      for (const text of sentencesOf(prompt)) {
        if (text.length < sentenceChars.min || text.length > sentenceChars.max) continue;
        sentences.push({
          text: shortenUrls(text),
          tokens: new Set(tokensOf(text)),
          session: session.uid,
          author: session.author,
          turn: number,
          at: startedAt,
        });
      }
    }
  }
  return rankSentences(sentences, askedTokens(about))
    .slice(0, maxClaims)
    .map(
      ({ text, session, author, turn, at }): Claim => ({
        kind: "said",
        text,
        outcome: null,
        by: author ?? "user",
        at: isoTime(at),
        standing: [],
        id: placeOfTurn(session, turn),
      }),
    );
}

function rankSentences(sentences: readonly Sentence[], wanted: ReadonlySet<string>): Sentence[] {
  const latestFirst = (a: Sentence, b: Sentence) => (b.at ?? 0) - (a.at ?? 0);
  if (wanted.size === 0) return sentences.toSorted(latestFirst);
  const weights = new Map(
    [...wanted].map((token) => {
      const holding = sentences.filter(({ tokens }) => tokens.has(token)).length;
      return [token, Math.log(1 + (sentences.length + 1) / (holding + 0.5))] as const;
    }),
  );
  const whole = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
  const seen = new Set<string>();
  return sentences
    .map((sentence) => {
      const held = [...weights].filter(([token]) => sentence.tokens.has(token));
      return { sentence, share: held.reduce((sum, [, weight]) => sum + weight, 0) / whole };
    })
    .filter(({ share }) => share >= minShare)
    .sort((a, b) => b.share - a.share || latestFirst(a.sentence, b.sentence))
    .map(({ sentence }) => sentence)
    .filter(({ text }) => {
      const isNew = !seen.has(text);
      seen.add(text);
      return isNew;
    });
}
