import picomatch from "picomatch";
import { makeTokenStream } from "../../base/text/tokens.ts";
import { listLookupTerms, weighTerms } from "../../code/search/confidence/asked-terms.ts";
import { findHeldWords, formatMentions } from "../../code/search/mentioned.ts";
import { type AnalysedQuery, analyseQuery } from "../../code/search/query.ts";
import { buildMatchers, type Matcher } from "../../code/search/verbatim/matchers.ts";
import type { CommitIndex, Within } from "../../store/index/port.ts";
import type { IndexedCommit } from "../../store/index/records.ts";
import { type RankedRecords, type RecordCandidate, type RecordNearness, rankRecords } from "./rank.ts";

interface CommitQuery extends Within {
  query: string;
  /** Only commits that touched one of these paths, directories or globs; empty: all. */
  files: readonly string[];
  /** Only commits whose author's name holds this; null: all. */
  author: string | null;
  /** Only these; null: all. */
  hashes: ReadonlySet<string> | null;
  /** The commit at the tip of the branch that the query is; null: it is none. */
  tip: string | null;
}

/** What a word counts where it is in a commit. */
const weights = { subject: 4, body: 1, files: 1, author: 1 };
/** How much the words of a mere merge count: what it brought in has commits of its own. */
const ofMerge = 0.6;
/** Commits that are ranked; of a search with filters more are looked at. */
const candidates = 40;
const candidatesToFilter = 5_000;
/** Beginnings of hashes that are looked up, and commits of each. */
const maxHashes = 8;
const maxOfHash = 5;

/** Commits for a question: by the words of their message, author and files, by meaning, by their hash or branch. */
export async function searchCommits(
  index: CommitIndex,
  asked: CommitQuery,
  nearnessTo: RecordNearness | null,
): Promise<RankedRecords<IndexedCommit>> {
  const query = analyseQuery(asked.query);
  const named = asked.tip === null ? await findCommitsByHash(index, asked.query) : [asked.tip];
  const quoted = buildMatchers({ query: asked.query });
  // The beginning of a hash has no meaning, nor have its parts.
  const isHash = /^\s*(?=\D*\d)[0-9a-f]{4,64}\s*$/i.test(asked.query);
  const whole = asked.query.trim().toLowerCase();
  const phrases = [...findTicketPhrases(asked.query), ...quoted.map(({ text }) => makeTokenStream(text))];
  const tokens = isHash ? [whole] : [...query.tokens, ...phrases];
  const isFiltered = asked.files.length > 0 || asked.author !== null || asked.hashes !== null;
  const matches = await index.lexical(tokens, weights, isFiltered ? candidatesToFilter : candidates, asked);
  const scores = new Map(matches.map(({ hash, score }) => [hash, score]));
  const found = await index.get([...new Set([...named, ...scores.keys()])]);
  const isWanted = buildCommitFilter(asked);
  const most = matches[0]?.score || 1;
  const ranked = found
    .filter(isWanted)
    .slice(0, candidates)
    .map((commit): RecordCandidate<IndexedCommit> => {
      const { hash, subject, body, author, files } = commit;
      const text = [subject, body, author, files.join(" ")].join("\n");
      return {
        item: commit,
        words: ((scores.get(hash) ?? 0) / most) * (isMerge(subject) ? ofMerge : 1),
        text,
        isNamed: named.includes(hash) || hasAllQuoted(text, quoted),
      };
    });
  const terms = isHash ? [whole] : listLookupTerms(query);
  const weighed = weighTerms(terms, await index.countFrequencies(terms));
  return rankRecords(query, weighed, ranked, isHash ? null : nearnessTo);
}

/** Whether a text holds all that a query has in quotes; not where it has nothing. */
const hasAllQuoted = (text: string, quoted: readonly Matcher[]) =>
  quoted.length > 0 && quoted.every(({ matchesIn }) => !matchesIn(text)[Symbol.iterator]().next().done);

/** A branch into another; a merged pull request has a title that tells something. */
const isMerge = (subject: string) => /^Merge (?:remote-tracking )?(?:branch|tag)/.test(subject);

/** Commits that the question names by (the beginning of) their hashes. */
async function findCommitsByHash(index: CommitIndex, question: string): Promise<string[]> {
  const whole = /^\s*[0-9a-f]{4,64}\s*$/i.test(question) ? [question.trim()] : [];
  // Among other words, a hash has a digit and a letter, and the seven characters that git shows.
  const among = question.match(/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b/gi) ?? [];
  const beginnings = [...new Set([...whole, ...among].map((one) => one.toLowerCase()))].slice(0, maxHashes);
  return (await Promise.all(beginnings.map((one) => index.listHashesByPrefix(one, maxOfHash)))).flat();
}

/** Ids of issues, "ENT-232", as phrases. */
function findTicketPhrases(question: string): string[] {
  return (question.match(/\b\p{L}{2,10}-\d+\b/gu) ?? []).map(makeTokenStream);
}

function buildCommitFilter({ files, author, hashes }: CommitQuery): (commit: IndexedCommit) => boolean {
  const globs = files.flatMap((file) => [file, `${file.replace(/\/+$/, "")}/**`]);
  const isTouched = files.length === 0 ? null : picomatch(globs, { dot: true });
  const name = author?.toLowerCase() ?? null;
  return (commit) =>
    (hashes === null || hashes.has(commit.hash)) &&
    (name === null || commit.author.toLowerCase().includes(name)) &&
    (isTouched === null || commit.files.some((file) => isTouched(file)));
}

/** The share of meaning in a score from which it is worth a word. */
const similar = 0.2;

/** Why a commit is among the answers, for a reader. */
export function listCommitReasons(
  query: Pick<AnalysedQuery, "words">,
  { hash, subject, body, author, files }: IndexedCommit,
  { meaning }: { meaning: number },
): string[] {
  if (query.words.some((word) => word.length >= 4 && hash.startsWith(word.toLowerCase())))
    return ["its hash"];
  const message = findHeldWords(query.words, `${subject}\n${body}`);
  const isNew = (word: string) => !message.includes(word);
  const touched = findHeldWords(query.words, files.join(" ")).filter(isNew);
  const by = findHeldWords(query.words, author).filter(isNew);
  const reasons = [
    formatMentions(message),
    touched.length > 0 ? `touched files named ${touched.join(", ")}` : null,
    by.length > 0 ? `by ${author}` : null,
    meaning > similar && 2 * message.length < query.words.length ? "similar in meaning" : null,
  ];
  return reasons.filter((reason) => reason !== null);
}

/** The commits of the index that took back some of these, by the one that they took back. */
export async function findReverts(
  index: CommitIndex,
  hashes: readonly string[],
): Promise<Map<string, string>> {
  const mentions = await index.lexical(hashes, { ...weights, subject: 1 }, 100, { since: null, until: null });
  const reverts = new Map<string, string>();
  for (const { hash, body } of await index.get(mentions.map(({ hash }) => hash))) {
    const [, reverted] = /^This reverts commit ([0-9a-f]{40,64})/m.exec(body) ?? [];
    if (reverted !== undefined && hashes.includes(reverted)) reverts.set(reverted, hash);
  }
  return reverts;
}
