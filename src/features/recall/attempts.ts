import { formatIsoTime } from "../../base/text/iso-time.ts";
import { shortenText } from "../../base/text/text-size.ts";
import { tokenize } from "../../base/text/tokens.ts";
import { formatTurnPlace } from "../../protocol/reading/short-id.ts";
import type { TranscriptSearchResponse } from "../../protocol/results.ts";
import { splitSentences, withoutBoilerplate } from "../../sessions/summaries/prose.ts";
import {
  askedTokens,
  isAnnouncement,
  isTellingPrompt,
  weighTokens,
} from "../../sessions/summaries/sentences.ts";
import { readStoredTurns } from "../../sessions/turn-content.ts";
import { readCommitsOfSessions } from "../../store/memory/commits/commits-of-turns.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { SessionRecord } from "../../store/memory/memory-records.ts";
import { findSessionByUid } from "../../store/memory/sessions/sessions.ts";
import { describeStanding, isTakenBack } from "./claim-words.ts";
import type { RecallClaim } from "./operation.ts";

/** What was asked and said in turns, as claims: the sentences of a turn that say most about a question. */

/** Turns around those that a search finds, which may answer them: "I don't want to commit docs" follows the question. */
const turnsAround = 1;
/** Of the turns that a passage spans. */
const maxTurnsOfPassage = 5;
/** Turns that are read for one question. */
const maxTurnsRead = 80;
/** Claims of one session. */
const maxOfSession = 3;
/** A turn that says so much less than the best one is left out. */
const minOfBest = 0.6;
/** A sentence is a claim; a shorter one says nothing, a longer one is a log or a list. Characters. */
const sentenceChars = { min: 12, max: 400 } as const;

/**
 * What a sentence gets beside the share of the question's words that it has, by how rare they are.
 * Chosen on the questions of bench:recall's choosing half.
 */
const worth = {
  /** The words of the question that it lacks, and that stand around it. */
  around: 0.35,
  /** The same for a short prompt, which is about what was said before it. */
  aroundReply: 0.6,
  /** Of a person: what they say is settled, what an agent says may be about to happen. */
  person: 0.1,
  /** It sets something: "only", "not", "instead", "should". */
  settling: 0.1,
  /** Of the last message of a turn, which concludes it. */
  last: 0.1,
  /** The question asks why, and it says why; it asks for a version or a number, and it has one. */
  fitting: 0.15,
  /** Of a turn that the search found first; of the second one half of it. */
  found: 0.25,
} as const;

const settling =
  /\b(?:not|never|only|instead|rather|should|must|don['’]?t|doesn['’]?t|won['’]?t|can['’]?t|no longer|better|prefer|wrong|issue|because)\b/i;
const asksWhy = /\bwhy\b|\breason\b/i;
const saysWhy =
  /\b(?:because|since|so that|otherwise|reason|due to|in order to|avoids?|prevents?|as (?:it|we|the|they)|so (?:we|it|the|they)|cause[sd]?)\b/i;
const asksNumber =
  /\bversions?\b|\bhow (?:many|much|long|often|large|big)\b|\b(?:limit|threshold|size|timeout|port)\b/i;
const hasNumber = /\d/;

/** A person's prompt of so many words answers what was said before it. */
const maxReplyWords = 25;

interface SpokenSentence {
  /** With the sentence before it, where it cannot be understood without. */
  text: string;
  tokens: ReadonlySet<string>;
  by: "person" | "agent";
  isLast: boolean;
}

interface AttemptTurn {
  session: SessionRecord;
  number: number;
  at: number | null;
  prompt: string;
  /** Whether a person wrote the prompt. */
  isPersons: boolean;
  spoken: SpokenSentence[];
  /** Everything that is said in it, and last before it. */
  around: ReadonlySet<string>;
  /** Place among what the search found, from 0; Infinity: beside it. */
  rank: number;
  /** The turn in which a person answered to it; null: none, or what says nothing alone. */
  answer: AttemptTurn | null;
}

type SessionHit = TranscriptSearchResponse["results"][number];

/** What stands before the first turn of a session is no turn. */
const isTurnOfOthers =
  (isOwn: (session: string) => boolean) =>
  ({ session_id, last_turn }: SessionHit): boolean =>
    !isOwn(session_id) && last_turn > 0;

/** What was asked and said about a question where a search found it, what says most of it first. */
export function listAttemptClaims(
  memory: Memory,
  about: string,
  { results }: TranscriptSearchResponse,
  { max, minShare, isOwn }: { max: number; minShare: number; isOwn: (session: string) => boolean },
): RecallClaim[] {
  const found = results.filter(isTurnOfOthers(isOwn));
  const turns = readTurnsAround(memory, found);
  const wanted = askedTokens(about);
  const weigh = makeWeight(turns, wanted, about);
  const ranked = turns
    .flatMap((turn) => {
      const claim = pickClaim(turn, weigh);
      return claim === null ? [] : [{ turn, ...claim }];
    })
    .sort((a, b) => b.weight - a.weight);
  const best = ranked[0]?.weight ?? 0;
  const ofSession = new Map<number, number>();
  const ledTo = readCommitsOfSessions(memory, [...new Set(turns.map(({ session }) => session.uid))]);
  const claims: RecallClaim[] = [];
  const told: AttemptTurn[] = [];
  for (const { turn, weight, share, asked, said } of ranked) {
    if (claims.length === max || weight < best * minOfBest) break;
    if (share < minShare) continue;
    const seen = ofSession.get(turn.session.id) ?? 0;
    if (seen === maxOfSession) continue;
    ofSession.set(turn.session.id, seen + 1);
    const result = ofTurn(found[turn.rank], turn, ledTo);
    const claim = toClaim(turn, { asked, said });
    claims.push(
      result === undefined
        ? claim
        : {
            ...claim,
            kind: claim.kind === "asked" && isTakenBack(result) ? "tried" : claim.kind,
            at: claim.at ?? result.timestamp,
            standing: describeStanding(result),
          },
    );
    told.push(turn);
  }
  return claims.map((claim, i) => {
    const { session, answer } = told[i]!;
    if (answer === null || told.includes(answer)) return claim;
    const said = pickClaim(answer, weigh)?.asked ?? answer.prompt;
    const then = `then ${session.author ?? "the user"}: “${shortenText(said, shownAnswerChars)}”`;
    return { ...claim, standing: [then, ...claim.standing] };
  });
}

/** Of a passage of several turns, the commits that one of them led to: the others' are not its own. */
function ofTurn(
  found: SessionHit | undefined,
  { session, number }: AttemptTurn,
  ledTo: ReturnType<typeof readCommitsOfSessions>,
): SessionHit | undefined {
  if (found === undefined) return undefined;
  const own = new Set(
    (ledTo.get(session.uid) ?? []).flatMap(({ hash, turns }) => (turns.includes(number) ? hash : [])),
  );
  return { ...found, commits: found.commits.filter(({ commit }) => own.has(commit)) };
}

/** A longer prompt is another task. Characters. */
const maxAnswerChars = 600;
const shownAnswerChars = 120;

/**
 * What a person said where a search found what a question is about: a short prompt need not name what it answers.
 * "Only the first response and not on error" is about a header.
 */
export function listRepliesAround(
  memory: Memory,
  about: string,
  { results }: TranscriptSearchResponse,
  { minShare, isOwn }: { minShare: number; isOwn: (session: string) => boolean },
): RecallClaim[] {
  const turns = readTurnsAround(memory, results.filter(isTurnOfOthers(isOwn))).filter(
    ({ isPersons }) => isPersons,
  );
  const weigh = makeWeight(turns, askedTokens(about), about);
  return turns
    .flatMap((turn) =>
      turn.spoken
        .filter(({ by }) => by === "person")
        .map((spoken) => ({ turn, text: spoken.text, ...weigh(spoken, turn) })),
    )
    .filter(({ share, own }) => share >= minShare && own > 0)
    .sort((a, b) => b.weight - a.weight)
    .map(({ turn, text }) => ({ ...toClaim(turn, { asked: text, said: null }), kind: "said" as const }));
}

/** What was asked in a turn with what the agent said in the end, whatever it was about; null: nothing that can be understood alone. */
export function toWordsClaim(memory: Memory, session: SessionRecord, number: number): RecallClaim | null {
  const [turn] = readTurns(memory, session, { first: number, last: number }, () => Number.POSITIVE_INFINITY);
  if (turn === undefined) return null;
  const picked = pickClaim(turn, ({ isLast }) => ({ own: 0, share: 0, weight: isLast ? 1 : 0 }));
  return picked === null ? null : toClaim(turn, picked);
}

function readTurnsAround(memory: Memory, found: readonly SessionHit[]): AttemptTurn[] {
  const wanted = new Map<string, Map<number, number>>();
  for (const [rank, { session_id: uid, turn, last_turn }] of found.entries()) {
    const ofSession = wanted.get(uid) ?? new Map<number, number>();
    wanted.set(uid, ofSession);
    const [first, last] = [Math.max(turn, 1), Math.min(last_turn, turn + maxTurnsOfPassage)];
    for (let number = first; number <= last; number++)
      ofSession.set(number, Math.min(rank, ofSession.get(number) ?? Number.POSITIVE_INFINITY));
    for (const number of [first - turnsAround, last + turnsAround])
      if (number > 0 && !ofSession.has(number)) ofSession.set(number, Number.POSITIVE_INFINITY);
  }
  const turns: AttemptTurn[] = [];
  for (const [uid, numbers] of wanted) {
    const session = findSessionByUid(memory, uid);
    if (session === null || turns.length >= maxTurnsRead) continue;
    for (const { first, last } of joinRuns([...numbers.keys()]))
      turns.push(
        ...readTurns(
          memory,
          session,
          { first, last },
          (number) => numbers.get(number) ?? Number.POSITIVE_INFINITY,
        ),
      );
  }
  return turns;
}

/** Another question is no answer. */
const asks = /\?\s*$|^\W*(?:how|what|why|where|when|which|who|can|could|does|do|is|are|will|would)\b/i;

/** Numbers as runs of those that follow each other. */
function joinRuns(numbers: readonly number[]): { first: number; last: number }[] {
  const runs: { first: number; last: number }[] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const run = runs.at(-1);
    if (run !== undefined && number === run.last + 1) run.last = number;
    else runs.push({ first: number, last: number });
  }
  return runs;
}

function readTurns(
  memory: Memory,
  session: SessionRecord,
  range: { first: number; last: number },
  rankOf: (number: number) => number,
): AttemptTurn[] {
  const turns: AttemptTurn[] = [];
  let before: readonly string[] = [];
  for (const { number, lines, record, abandoned } of readStoredTurns(memory, session.id, range)) {
    const said: string[] = [];
    let isPersons = session.parentId === null;
    for (const { entries } of lines)
      for (const entry of entries) {
        if (entry.kind === "text") said.push(entry.text);
        if (entry.kind === "prompt" && entry.by === "agent") isPersons = false;
      }
    const prompt = record.prompt;
    const around = new Set([...before, prompt, said.at(-1) ?? ""].flatMap((text) => tokenize(text)));
    before = said.slice(-1);
    if (abandoned) continue;
    const isAsked = isTellingPrompt(prompt);
    const earlier = turns.at(-1);
    const turn: AttemptTurn = {
      session,
      number,
      at: record.startedAt,
      prompt: isAsked ? prompt : "",
      isPersons,
      spoken: [
        ...(isAsked ? listSpoken(prompt, "person", false) : []),
        ...said.flatMap((text, i) => listSpoken(text, "agent", i === said.length - 1)),
      ],
      around,
      rank: rankOf(number),
      answer: null,
    };
    const answers = isPersons && isAsked && !asks.test(prompt) && prompt.length <= maxAnswerChars;
    if (answers && earlier?.number === number - 1) earlier.answer = turn;
    turns.push(turn);
  }
  return turns;
}

function listSpoken(text: string, by: SpokenSentence["by"], isLast: boolean): SpokenSentence[] {
  const sentences = [...splitSentences(text)];
  return sentences.flatMap((sentence, i): SpokenSentence[] => {
    const plain = by === "agent" ? withoutBoilerplate(sentence) : sentence;
    if (plain.startsWith("(")) return [];
    const isClaim = plain.length >= sentenceChars.min && plain.length <= sentenceChars.max;
    // What an agent asks is no result.
    if (!isClaim || (by === "agent" && (isAnnouncement(plain) || plain.endsWith("?")))) return [];
    const before = pointsBack.test(plain) ? (sentences[i - 1] ?? "") : "";
    const whole = before === "" || before.length > maxPointedAt ? plain : `${before} ${plain}`;
    return [{ text: whole, tokens: new Set(tokenize(whole)), by, isLast }];
  });
}

/** "Without it, the plugin was never loaded" says nothing without the sentence before it. */
const pointsBack =
  /^(?:without|because of|instead of|with|for|after|so|and|but)?\s*(?:it|that|this|these|those|they)\b/i;
/** Characters of the sentence before. */
const maxPointedAt = 160;

/** `own`: of the question's words, what the sentence itself has; `share`: with what stands around it. */
type Weigh = (spoken: SpokenSentence, turn: AttemptTurn) => { own: number; share: number; weight: number };

/** How much a sentence says about a question. */
function makeWeight(turns: readonly AttemptTurn[], wanted: ReadonlySet<string>, about: string): Weigh {
  const sentences = turns.flatMap(({ spoken }) => spoken);
  const weights = weighTokens(
    sentences.map(({ tokens }) => tokens),
    wanted,
  );
  const measure = (holds: (token: string) => boolean) =>
    weights.reduce((sum, [token, weight]) => (holds(token) ? sum + weight : sum), 0);
  const [isWhy, isNumber] = [asksWhy.test(about), asksNumber.test(about)];
  return ({ text, tokens, by, isLast }, { prompt, around, rank }) => {
    const share = measure((token) => tokens.has(token));
    const isReply = by === "person" && prompt.split(/\s+/).length <= maxReplyWords;
    const beside =
      measure((token) => !tokens.has(token) && around.has(token)) *
      (isReply ? worth.aroundReply : worth.around);
    const isFitting = (isWhy && saysWhy.test(text)) || (isNumber && hasNumber.test(text));
    const weight =
      share +
      beside +
      (by === "person" ? worth.person : 0) +
      (isLast ? worth.last : 0) +
      (share + beside > 0 && settling.test(text) ? worth.settling : 0) +
      (isFitting ? worth.fitting : 0) +
      worth.found / (rank + 1);
    return { own: share, share: share + beside, weight };
  };
}

interface Picked {
  asked: string | null;
  said: string | null;
}

/** The best sentence of the prompt and of what the agent said. */
function pickClaim(turn: AttemptTurn, weigh: Weigh): (Picked & { share: number; weight: number }) | null {
  const best = {
    person: { text: null as string | null, share: 0, weight: -1 },
    agent: { text: null as string | null, share: 0, weight: -1 },
  };
  for (const spoken of turn.spoken) {
    const { share, weight } = weigh(spoken, turn);
    // Of equals the last, as conclusions come late.
    if (weight >= best[spoken.by].weight) best[spoken.by] = { text: spoken.text, share, weight };
  }
  const asked = best.person.text ?? (turn.prompt === "" ? null : turn.prompt);
  if (asked === null && best.agent.text === null) return null;
  return {
    asked,
    said: best.agent.text,
    share: Math.max(best.person.share, best.agent.share),
    weight: Math.max(best.person.weight, best.agent.weight),
  };
}

function toClaim({ session, number, at, isPersons }: AttemptTurn, { asked, said }: Picked): RecallClaim {
  const isAsked = asked !== null;
  return {
    kind: isAsked ? "asked" : "said",
    text: asked ?? said!,
    outcome: isAsked ? said : null,
    by: session.author ?? (isAsked && isPersons ? "user" : session.agent),
    at: formatIsoTime(at),
    standing: [],
    id: formatTurnPlace(session.uid, number),
  };
}
