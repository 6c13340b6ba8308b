import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Config } from "../../../base/config/settings.ts";
import { getErrorMessage } from "../../../base/errors.ts";
import type { Logger } from "../../../base/log.ts";
import { makeNewProject, type Project } from "../../../base/paths.ts";
import { createIgnoreRules } from "../../../code/files/ignore.ts";
import { scanProject } from "../../../code/files/scan.ts";
import type { LanguageId } from "../../../code/languages/index.ts";
import { QueryEmbedder } from "../../../code/search/vectors/query-embedder.ts";
import { indexDriver } from "../../../engines/drivers.ts";
import { readHeadCommit } from "../../../git/history/history.ts";
import type { Embedder } from "../../../models/embed/embedder.ts";
import { type Embedders, listEmbedders } from "../../../models/embed/embedders.ts";
import type { CodeIndex } from "../../../store/index/port.ts";
import type { DocComment, FileStamp } from "../../../store/index/records.ts";
import { type AskedModes, ask } from "./ask.ts";
import { type Mined, mineCommitPairs } from "./commit-pairs.ts";
import { type DocPair, mineDocPairs, withoutDocs } from "./doc-pairs.ts";
import { type IndexTimes, indexInFull } from "./index-in-full.ts";
import { modes } from "./modes.ts";
import type { QuestionPair } from "./pairs.ts";
import { chooseFilesToCopy, copySources, everything } from "./scratch-copy.ts";

export type Stage = "reading" | "copying" | "indexing" | "embedding" | "asking";

interface SelfTestOptions {
  /** The directory to measure; read-only. */
  root: string;
  config: Config;
  embedders: Embedders;
  /** Number of questions of each kind. */
  count: number;
  onProgress: (stage: Stage, done: number, total: number) => void;
  signal: AbortSignal;
  log: Logger;
}

/** The results for one kind of question; the keys are those of JSON. */
export interface KindReport extends AskedModes {
  kind: "doc_to_function" | "commit_to_files";
  queries: number;
  /** Why there are fewer questions than requested, or null. */
  problem: string | null;
}

export interface SelfTestReport {
  /** The commit that seeds the questions; null without git. */
  head: string | null;
  files: number;
  chunks: number;
  /** Time until everything was searchable. Milliseconds. */
  index_ms: number;
  /** Additional time of a second model; null without one. Milliseconds. */
  embed_ms: number | null;
  /** The models behind "semantic" and "hybrid"; null when not measured. */
  model: string | null;
  kinds: KindReport[];
  /** Remarks for the user. */
  notes: string[];
}

/**
 * Measures search on a project's own code. Asks for functions by their doc comments, which are hidden from the index,
 * and for files by commit messages. Works on a temporary copy. The same commit gives the same questions.
 * @throws PommelError `unreadable`, `disk_full`; the signal's reason
 */
export async function runSelfTest(options: SelfTestOptions): Promise<SelfTestReport> {
  const scratch = mkdtempSync(join(tmpdir(), "pommel-bench-"));
  try {
    return await measure(options, scratch);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A copy of a project that is indexed, and the questions that are drawn from it. */
interface PreparedTest {
  project: Project;
  /** To be closed by the caller. */
  index: CodeIndex;
  head: string | null;
  times: IndexTimes;
  docPairs: DocPair[];
  commits: Mined;
  /** null: none is at hand. */
  embedder: QueryEmbedder | null;
  model: string | null;
  notes: string[];
}

/** Copies a project without the comments that it asks with, and indexes it. */
async function prepare(options: SelfTestOptions, scratch: string): Promise<PreparedTest> {
  const { root, config, count, log, signal } = options;
  options.onProgress("reading", 0, 0);
  const scanned = await listIndexableFiles(root, config);
  const head = await readHeadCommit(root);
  const seed = head ?? computeFingerprint(scanned);
  const stamps = chooseFilesToCopy(scanned, seed);
  const docPairs = await mineDocPairs({ root, config, stamps, seed, count, signal });

  const project = makeScratchProject(scratch);
  await copyWithoutDocs(options, project, stamps, docPairs);
  const { index } = await (await indexDriver(config)).openToWrite(project.indexDb, log);
  try {
    const { embedders, names, notes } = await findUsableModels(options.embedders);
    const times = await indexInFull({
      project,
      config,
      rules: everything,
      index,
      embedders,
      log,
      signal,
      onProgress: options.onProgress,
    });
    const indexed = new Map(
      (await index.files()).map(({ path, language }) => [path, language as LanguageId]),
    );
    const commits = await mineCommitPairs(root, indexed, { seed, count, signal });

    // Wait for every model, for reproducible results.
    const deadlineMs = Number.POSITIVE_INFINITY;
    return {
      project,
      index,
      head,
      times,
      docPairs,
      commits,
      model: names,
      embedder: names === null ? null : new QueryEmbedder({ ...embedders, deadlineMs }),
      notes: [describeSize(stamps.length, scanned.length), ...notes].filter((note) => note !== null),
    };
  } catch (error) {
    await index.close();
    throw error;
  }
}

async function measure(options: SelfTestOptions, scratch: string): Promise<SelfTestReport> {
  const { count, signal } = options;
  const prepared = await prepare(options, scratch);
  const { project, index, embedder, docPairs, commits, times } = prepared;
  try {
    const { files, chunks } = await index.readIndexCounts();
    const answersTo = (pairs: readonly QuestionPair[]) =>
      ask({
        project,
        index,
        embedder,
        pairs,
        signal,
        modes: embedder ? modes : ["lexical"],
        onAsked: (done, total) => options.onProgress("asking", done, total),
      });
    return {
      head: prepared.head,
      files,
      chunks,
      index_ms: Math.round(times.indexing),
      embed_ms: times.embedding && Math.round(times.embedding),
      model: prepared.model,
      kinds: [
        {
          kind: "doc_to_function",
          queries: docPairs.length,
          problem:
            docPairs.length < count ? "no more functions have a doc comment that makes a question" : null,
          ...(await answersTo(docPairs)),
        },
        {
          kind: "commit_to_files",
          queries: commits.pairs.length,
          problem: commits.problem,
          ...(await answersTo(commits.pairs)),
        },
      ],
      notes: prepared.notes,
    };
  } finally {
    await index.close();
  }
}

/** Indexable files, by size and name. */
async function listIndexableFiles(root: string, config: Config): Promise<FileStamp[]> {
  const stamps: FileStamp[] = [];
  for await (const item of scanProject(root, createIgnoreRules(root, config))) {
    if (item.kind === "file" && item.stamp.size <= config["index.max_file_size"]) stamps.push(item.stamp);
  }
  return stamps;
}

/** Identifies the version without git. */
function computeFingerprint(stamps: readonly FileStamp[]): string {
  const hash = createHash("sha256");
  for (const { path, size } of stamps) hash.update(`${path}\0${size}\0`);
  return hash.digest("hex");
}

/** A project whose index goes with it. */
function makeScratchProject(scratch: string): Project {
  const root = join(scratch, "files");
  mkdirSync(root);
  return { ...makeNewProject(root), indexDb: join(scratch, "index.db") };
}

async function copyWithoutDocs(
  { root, config, onProgress, signal }: SelfTestOptions,
  project: Project,
  stamps: readonly FileStamp[],
  pairs: readonly DocPair[],
): Promise<void> {
  const hidden = new Map<string, DocComment[]>();
  for (const { file, docs } of pairs) hidden.set(file, [...(hidden.get(file) ?? []), ...docs]);
  await copySources({
    from: root,
    to: project.root,
    stamps,
    maxFileSize: config["index.max_file_size"],
    change: (path, text) => withoutDocs(text, hidden.get(path) ?? []),
    onProgress: (done) => onProgress("copying", done, stamps.length),
    signal,
  });
}

function describeSize(copied: number, all: number): string | null {
  if (copied === all) return null;
  return `The project is large: measured on ${copied} of its ${all} files, whole directories of them.`;
}

interface UsableModels {
  /** The usable models. */
  embedders: Embedders;
  /** Their ids, joined by " + "; null without any. */
  names: string | null;
  /** Which models are missing, and why. */
  notes: string[];
}

/** Filters out unavailable models, so that the rest is measured. */
async function findUsableModels({ first, second, deadlineMs }: Embedders): Promise<UsableModels> {
  const notes: string[] = [];
  const ifUsable = async (model: Embedder | null) => {
    try {
      await model?.prepare();
      return model;
    } catch (error) {
      notes.push(`${model?.id} was left out: ${getErrorMessage(error)}`);
      return null;
    }
  };
  const embedders = { first: await ifUsable(first), second: await ifUsable(second), deadlineMs };
  const names = listEmbedders(embedders).map(({ id }) => id);
  if (names.length === 0) notes.push("Without vectors only the lexical mode was measured.");
  return { embedders, names: names.join(" + ") || null, notes };
}
