import picomatch from "picomatch";
import type { CommitIndex, Within } from "../../store/index/port.ts";
import type { IndexedCommit } from "../../store/index/records.ts";
import { tokenStream } from "../../text/tokens.ts";
import { type AnalysedQuery, analyseQuery } from "../code/query.ts";
import { termsOf, weighTerms } from "../confidence/asked-terms.ts";
import { type Candidate, type Found, type Nearness, rankRecords } from "./rank.ts";

export interface CommitQuery extends Within {
  query: string;
  /** Only commits that touched one of these paths, directories or globs; empty: all. */
  files: readonly string[];
  /** Only commits whose author's name holds this; null: all. */
  author: string | null;
  /** Only these; null: all. */
  hashes: ReadonlySet<string> | null;
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

/** Commits for a question: by the words of their message, author and files, by meaning, and by their hash. */
export async function searchCommits(
  index: CommitIndex,
  asked: CommitQuery,
  nearnessTo: Nearness | null,
): Promise<Found<IndexedCommit>> {
  const query = analyseQuery(asked.query);
  const named = await namedIn(index, asked.query);
  // The beginning of a hash has no meaning, nor have its parts.
  const isHash = /^\s*(?=\D*\d)[0-9a-f]{4,64}\s*$/i.test(asked.query);
  const whole = asked.query.trim().toLowerCase();
  const tokens = isHash ? [whole] : [...query.tokens, ...ticketsIn(asked.query)];
  const isFiltered = asked.files.length > 0 || asked.author !== null || asked.hashes !== null;
  const matches = await index.lexical(tokens, weights, isFiltered ? candidatesToFilter : candidates, asked);
  const scores = new Map(matches.map(({ hash, score }) => [hash, score]));
  const found = await index.get([...new Set([...named, ...scores.keys()])]);
  const isWanted = filterOf(asked);
  const most = matches[0]?.score || 1;
  const ranked = found
    .filter(isWanted)
    .slice(0, candidates)
    .map((commit): Candidate<IndexedCommit> => {
      const { hash, subject, body, author, files } = commit;
      return {
        item: commit,
        words: ((scores.get(hash) ?? 0) / most) * (isMerge(subject) ? ofMerge : 1),
        text: [subject, body, author, files.join(" ")].join("\n"),
        isNamed: named.includes(hash),
      };
    });
  const terms = isHash ? [whole] : termsOf(query);
  const weighed = weighTerms(terms, await index.frequencies(terms));
  return rankRecords(query, weighed, ranked, isHash ? null : nearnessTo);
}

/** A branch into another; a merged pull request has a title that tells something. */
const isMerge = (subject: string) => /^Merge (?:remote-tracking )?(?:branch|tag)/.test(subject);

/** Commits that the question names by (the beginning of) their hashes. */
async function namedIn(index: CommitIndex, question: string): Promise<string[]> {
  const whole = /^\s*[0-9a-f]{4,64}\s*$/i.test(question) ? [question.trim()] : [];
  // Among other words, a hash has a digit and a letter, and the seven characters that git shows.
  const among = question.match(/\b(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,64}\b/gi) ?? [];
  const beginnings = [...new Set([...whole, ...among].map((one) => one.toLowerCase()))].slice(0, maxHashes);
  return (await Promise.all(beginnings.map((one) => index.beginningWith(one, maxOfHash)))).flat();
}

/** Ids of issues, "ENT-232", as phrases. */
function ticketsIn(question: string): string[] {
  return (question.match(/\b\p{L}{2,10}-\d+\b/gu) ?? []).map(tokenStream);
}

function filterOf({ files, author, hashes }: CommitQuery): (commit: IndexedCommit) => boolean {
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
export function reasonsFor(
  query: Pick<AnalysedQuery, "words">,
  { hash, subject, body, author, files }: IndexedCommit,
  { meaning }: { meaning: number },
): string[] {
  if (query.words.some((word) => word.length >= 4 && hash.startsWith(word.toLowerCase())))
    return ["its hash"];
  const held = (text: string) => {
    const lower = text.toLowerCase();
    return query.words.filter((word) => lower.includes(word.toLowerCase())).slice(0, 4);
  };
  const message = held(`${subject}\n${body}`);
  const touched = held(files.join(" ")).filter((word) => !message.includes(word));
  const by = held(author).filter((word) => !message.includes(word));
  return [
    ...(message.length > 0 ? [`message contains ${message.join(", ")}`] : []),
    ...(touched.length > 0 ? [`touched files named ${touched.join(", ")}`] : []),
    ...(by.length > 0 ? [`by ${author}`] : []),
    ...(meaning > similar ? ["similar in meaning"] : []),
  ];
}

/** The commits of the index that took back some of these, by the one that they took back. */
export async function revertsOf(index: CommitIndex, hashes: readonly string[]): Promise<Map<string, string>> {
  const mentions = await index.lexical(hashes, { ...weights, subject: 1 }, 100, { since: null, until: null });
  const reverts = new Map<string, string>();
  for (const { hash, body } of await index.get(mentions.map(({ hash }) => hash))) {
    const [, reverted] = /^This reverts commit ([0-9a-f]{40,64})/m.exec(body) ?? [];
    if (reverted !== undefined && hashes.includes(reverted)) reverts.set(reverted, hash);
  }
  return reverts;
}
