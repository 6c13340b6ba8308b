import type { CommitInfo } from "../../git/diff/changes-types.ts";
import { scrubAlone } from "../../redact/scrubber.ts";
import { listAttributions, saveAttributions } from "../../store/memory/commits/attributions.ts";
import { findCommitByHash, saveCommit } from "../../store/memory/commits/commits.ts";
import type { AttributionRecord, CommitRecord } from "../../store/memory/memory-records.ts";
import type { AttributedLines } from "../foreign/types.ts";
import { collectChanges } from "./collect-changes.ts";
import { extractSubject } from "./commit-facts.ts";
import { groupByPath } from "./keep-known.ts";
import type { GitWork } from "./work.ts";

/** Nobody has measured how often such a word is right. */
const noteConfidence = 0.8;

/** Of the lines that a commit added: by whom another tool's word has them, and those that are unknown in spite of it. */
export interface RecordedNotes {
  agent: number;
  human: number;
  unknown: number;
  /** Whether anything was news. */
  isNew: boolean;
}

/**
 * Stores what another tool says about who wrote a commit's lines, where there is no evidence of our own. Only lines that
 * the commit added count. Texts are scrubbed; doing it twice changes nothing.
 * @param said paths relative to the project's root; where ranges overlap, the one that begins first counts
 * @throws GitFailure where git lacks objects of the commit
 */
export async function recordNotes(
  { memory, project, scrubber }: Pick<GitWork, "memory" | "project" | "scrubber">,
  info: CommitInfo,
  said: readonly AttributedLines[],
  { dryRun = false, signal }: { dryRun?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<RecordedNotes> {
  const changed = await collectChanges(project.root, info.hash, signal);
  const clean = (text: string | null) => (text === null ? null : scrubAlone(scrubber, text));
  const saidOf = groupByPath(said);
  return memory.runInTransaction(() => {
    const known = findCommitByHash(memory, info.hash);
    const stored = known === null ? [] : listAttributions(memory, known.id);
    const storedOf = groupByPath(stored);
    const records: AttributionRecord[] = [];
    for (const { path, hunks } of changed.files) {
      const before = storedOf.get(path) ?? [];
      storedOf.delete(path);
      const added = hunks.map(({ newStart, added }) => [newStart, newStart + added.length - 1] as const);
      const notes = intersectRanges(
        added,
        removeOverlaps((saidOf.get(path) ?? []).map((line) => buildAttributionRecord(line, clean))),
      );
      const layers = [
        before.filter(isEvident),
        notes.filter(({ author }) => author !== "unknown"),
        before.filter((record) => !isEvident(record) && record.author !== "unknown"),
        before.filter((record) => !isEvident(record) && record.author === "unknown"),
        notes.filter(({ author }) => author === "unknown"),
      ];
      records.push(...layers.reduceRight((under, over) => fill(over, under), []));
    }
    records.push(...[...storedOf.values()].flat());
    const report: RecordedNotes = { agent: 0, human: 0, unknown: 0, isNew: !isSame(records, stored) };
    for (const { path, author, how, firstLine, lastLine } of records) {
      const isSaid = how === "note" || (author === "unknown" && saidOf.has(path));
      if (isSaid) report[author] += lastLine - firstLine + 1;
    }
    if (dryRun || !report.isNew) return report;
    const commit = known ?? saveCommit(memory, buildUnanalysedCommit(info, changed, clean), changed.records);
    saveAttributions(memory, commit.id, records);
    return report;
  });
}

/** Found here, and no other tool's word. */
const isEvident = ({ author, how, basis }: AttributionRecord) =>
  (author !== "unknown" && how !== "note") || basis === "verbatim";

function buildAttributionRecord(
  { path, first, last, author, session, model }: AttributedLines,
  clean: (text: string | null) => string | null,
): AttributionRecord {
  const isKnown = author !== "unknown";
  return {
    path,
    firstLine: first,
    lastLine: last,
    author,
    sessionUid: clean(session),
    turn: null,
    toolUse: null,
    model: clean(model),
    confidence: isKnown ? noteConfidence : 0,
    how: isKnown ? "note" : "none",
    basis: null,
  };
}

/** A commit that nobody has analysed yet. */
function buildUnanalysedCommit(
  { hash, tree, parents, author, authoredAt, committedAt, message }: CommitInfo,
  { insertions, deletions }: Pick<CommitRecord, "insertions" | "deletions">,
  clean: (text: string) => string | null,
): Omit<CommitRecord, "id"> {
  return {
    hash,
    tree,
    parents,
    authoredAt,
    committedAt,
    insertions,
    deletions,
    author: clean(author) ?? "",
    subject: clean(extractSubject(message)) ?? "",
    branch: null,
    patchId: null,
    rewrittenFrom: [],
    seen: "history",
    attributed: 0,
  };
}

/** In order of lines, without overlaps. */
function removeOverlaps(records: AttributionRecord[]): AttributionRecord[] {
  let next = 1;
  return records
    .sort((a, b) => a.firstLine - b.firstLine)
    .flatMap((record) => {
      const firstLine = Math.max(record.firstLine, next);
      next = Math.max(next, record.lastLine + 1);
      return firstLine > record.lastLine ? [] : [{ ...record, firstLine }];
    });
}

/** Those parts of ranges that lie in others; both in order, without overlaps. */
function intersectRanges(
  others: readonly (readonly [first: number, last: number])[],
  records: readonly AttributionRecord[],
): AttributionRecord[] {
  const found: AttributionRecord[] = [];
  let at = 0;
  for (const record of records) {
    while (at < others.length && others[at]![1] < record.firstLine) at++;
    for (let i = at; i < others.length && others[i]![0] <= record.lastLine; i++) {
      const firstLine = Math.max(record.firstLine, others[i]![0]);
      const lastLine = Math.min(record.lastLine, others[i]![1]);
      if (firstLine <= lastLine) found.push({ ...record, firstLine, lastLine });
    }
  }
  return found;
}

/** Ranges, with others where they leave lines free; all in order, without overlaps. */
function fill(over: readonly AttributionRecord[], under: readonly AttributionRecord[]): AttributionRecord[] {
  const free = over.map(({ firstLine }, i) => [(over[i - 1]?.lastLine ?? 0) + 1, firstLine - 1] as const);
  const rest = [(over.at(-1)?.lastLine ?? 0) + 1, Number.POSITIVE_INFINITY] as const;
  return [...over, ...intersectRanges([...free, rest], under)].sort((a, b) => a.firstLine - b.firstLine);
}

function isSame(records: readonly AttributionRecord[], stored: readonly AttributionRecord[]): boolean {
  const key = ({ path, firstLine, lastLine, author, sessionUid, model, how }: AttributionRecord) =>
    JSON.stringify([path, firstLine, lastLine, author, sessionUid, model, how]);
  const keys = new Set(stored.map(key));
  return records.length === stored.length && records.every((record) => keys.has(key(record)));
}
