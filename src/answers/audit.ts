import { createHash, createHmac, randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { getErrorCode, getErrorMessage, PommelError } from "../base/errors.ts";
import { withFileLock } from "../base/files/file-lock.ts";
import { listNamesIfAny, readTextIfAny } from "../base/files/if-any.ts";
import { replaceFile, writeJson } from "../base/files/replace-file.ts";
import { makeDirectory } from "../base/home.ts";
import { locateAuditLock, type Project } from "../base/paths.ts";
import { channels } from "../protocol/channel.ts";
import { readPublicKey, seal } from "../protocol/sealed-text.ts";
import type { Scrubber } from "../redact/scrubber.ts";
import { unsealText } from "../store/encryption/keys.ts";
import { answerAsRecorded, getRequestContext } from "./channel.ts";
import { loadCurrentConfig } from "./open.ts";

/**
 * The audit log, `audit/` in the project's data: JSON Lines, appended only. Each record holds the SHA-256 of the one before it, so
 * that a changed, added or removed record breaks the chain; `head.json` holds that of the last, so that a shortened log
 * does not match. Whoever can write the files can make another chain: a hash that was noted elsewhere shows that.
 *
 * The chain contains a question only as a keyed hash. The words stand beside it: when they are forgotten, the chain still holds,
 * and without the key nobody can use the hash to confirm a guess.
 *
 * In an encrypted home each line is sealed. The chain hashes the plain records, so it also holds if lines are sealed later or
 * opened again.
 */

const record = z.object({
  /** From 1 on, over all files. */
  n: z.int(),
  /** ISO 8601. */
  at: z.string(),
  channel: z.enum(channels),
  operation: z.string(),
  /** The request, scrubbed; null: its words were forgotten. No part of the chain. */
  question: z.nullable(z.string()),
  /** HMAC-SHA-256 of the request with the log's key. */
  question_hash: z.string(),
  /** How much was answered: entries of lists, bytes of JSON, distinct sessions. */
  results: z.int(),
  bytes: z.int(),
  sessions: z.int(),
  /** The code of the error that it ended with; null: it was answered. */
  error: z.nullable(z.string()),
  /** The SHA-256 of the record before, without its question; "" for the first. */
  previous: z.string(),
  /** Random, if lines are sealed: so nobody can use the hash in `head.json` to confirm a guess of the record. */
  salt: z.optional(z.string()),
});
export type AuditRecord = z.infer<typeof record>;

const head = z.object({ n: z.int(), sha256: z.string() });
type AuditHead = z.infer<typeof head>;

/** A full file is renamed by the number of its first record. Bytes. */
const maxFileSize = 5_000_000;
/** No line is longer, sealed or not: questions are cut. Bytes. */
const maxLine = 32_768;
const maxQuestion = 2000;

const current = "audit.jsonl";

/** A line's hash in the chain: that of its record without the words of the question. */
function hashRecord(line: string): string {
  const { question: _, ...chained } = JSON.parse(line) as Record<string, unknown>;
  return createHash("sha256").update(JSON.stringify(chained)).digest("hex");
}

const getKeyFile = ({ auditDir }: Project) => join(auditDir, "key");

/** The key of a log; null where there is none. */
function readKey(project: Project): Buffer | null {
  const text = readTextIfAny(getKeyFile(project)).trim();
  return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;
}

function createKey(project: Project): Buffer {
  const key = randomBytes(32);
  replaceFile(getKeyFile(project), `${key.toString("hex")}\n`, { synced: true });
  return key;
}

const hashQuestion = (key: Buffer, question: string) =>
  createHmac("sha256", key).update(question).digest("hex");

/** Appends a record; it is in the file when this returns. @throws PommelError `unreadable` */
export function appendRecord(
  project: Project,
  given: Omit<AuditRecord, "n" | "previous" | "salt" | "question" | "question_hash"> & { question: string },
  fileSize = maxFileSize,
): void {
  const dir = project.auditDir;
  try {
    makeDirectory(dir);
    // Several processes write: a daemon, and commands that run without it.
    withFileLock(locateAuditLock(project), () => {
      const file = join(dir, current);
      const last = readLastLine(file);
      const before = (last === null ? null : toAuditHead(project, last)) ?? readAuditHead(project);
      if (last !== null && statSync(file).size > fileSize)
        renameSync(file, join(dir, `audit-${String(before!.n).padStart(12, "0")}.jsonl`));
      const n = (before?.n ?? 0) + 1;
      const question = given.question.slice(0, maxQuestion);
      const hashed = hashQuestion(readKey(project) ?? createKey(project), question);
      const publicKey = readPublicKey();
      const salt = publicKey === null ? undefined : randomBytes(16).toString("base64url");
      const line = JSON.stringify({
        n,
        ...given,
        question,
        question_hash: hashed,
        previous: before?.sha256 ?? "",
        salt,
      });
      appendFileSync(file, `${publicKey === null ? line : seal(line, publicKey)}\n`, { mode: 0o600 });
      writeJson(join(dir, "head.json"), { n, sha256: hashRecord(line) } satisfies AuditHead);
    });
  } catch (error) {
    throw new PommelError(
      "unreadable",
      `The audit log cannot be written: ${getErrorMessage(error)}.`,
      "Every query must be logged, so it was refused. `pm config set --global audit.enabled false` turns the log off.",
      { cause: error },
    );
  }
}

/** The last whole line of a file; null: none. */
function readLastLine(file: string): string | null {
  let handle: number;
  try {
    handle = openSync(file, "r");
  } catch {
    return null;
  }
  try {
    const { size } = fstatSync(handle);
    const tail = Buffer.alloc(Math.min(size, maxLine));
    readSync(handle, tail, 0, tail.length, size - tail.length);
    return tail.toString().trimEnd().split("\n").at(-1) || null;
  } finally {
    closeSync(handle);
  }
}

/** The head that a line, sealed or not, makes; null without the key, so that questions are recorded while the home is locked. */
function toAuditHead(_project: Project, last: string): AuditHead | null {
  try {
    const line = unsealText(last);
    return { n: parseRecord(line)?.n ?? 0, sha256: hashRecord(line) };
  } catch {
    return null;
  }
}

function parseRecord(line: string): AuditRecord | null {
  try {
    const parsed = record.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function readAuditHead(project: Project): AuditHead | null {
  try {
    return z.parse(head, JSON.parse(readFileSync(join(project.auditDir, "head.json"), "utf8")));
  } catch {
    return null;
  }
}

/**
 * Every line as it was written, oldest first. A line that was changed, so that it cannot be opened, is returned as it is.
 * @throws PommelError as `unlock`
 */
function* readAuditLines(project: Project): Generator<{ file: string; line: string }> {
  for (const name of logFiles(project)) {
    const text = readFileSync(join(project.auditDir, name), "utf8");
    for (const line of text.split("\n"))
      if (line !== "") yield { file: name, line: unsealLine(project, line) };
  }
}

/** The oldest first. */
const logFiles = ({ auditDir }: Project): string[] =>
  listNamesIfAny(auditDir)
    .filter((name) => /^audit(?:-\d+)?\.jsonl$/.test(name))
    .sort();

function unsealLine(_project: Project, line: string): string {
  try {
    return unsealText(line);
  } catch (error) {
    if (error instanceof PommelError) throw error;
    return line;
  }
}

/** Every record that can be read, the oldest first. */
export function* readAuditRecords(project: Project): Generator<AuditRecord> {
  for (const { line } of readAuditLines(project)) {
    const read = parseRecord(line);
    if (read !== null) yield read;
  }
}

/**
 * Removes the words of questions from the log, and keeps their hashes. Lines that cannot be opened stay.
 * @param isMeant whether to forget this question
 * @returns how many questions were forgotten, or would be with `dryRun`
 */
export function forgetQuestions(
  project: Project,
  isMeant: (question: string, record: AuditRecord) => boolean,
  { dryRun = false } = {},
): number {
  if (!existsSync(project.auditDir)) return 0;
  return withFileLock(locateAuditLock(project), () => {
    const publicKey = readPublicKey();
    let found = 0;
    for (const name of logFiles(project)) {
      const file = join(project.auditDir, name);
      const lines = readFileSync(file, "utf8").split("\n");
      const cut = lines.map((written) => {
        const line = written === "" ? "" : unsealLine(project, written);
        const read = parseRecord(line);
        if (read === null || read.question === null || !isMeant(read.question, read)) return written;
        found++;
        const without = JSON.stringify({ ...(JSON.parse(line) as object), question: null });
        return publicKey === null ? without : seal(without, publicKey);
      });
      if (!dryRun && cut.some((line, i) => line !== lines[i]))
        replaceFile(file, cut.join("\n"), { synced: true });
    }
    return found;
  });
}

/** Removes the words of questions in which these rules find a secret, and scrubs new questions by the same rules. */
export async function scrubQuestions(project: Project, scrubber: Scrubber): Promise<number> {
  const { scrubAlone } = await import("../redact/scrubber.ts");
  scrubbers.set(project.root, scrubber);
  return forgetQuestions(project, (question) => scrubAlone(scrubber, question) !== question);
}

/** What verifying found. */
interface AuditCheck {
  records: number;
  /** null: the chain holds. */
  broken: { file: string; record: number; reason: string } | null;
  /** Of the last record; to be noted elsewhere, and compared later. */
  head: AuditHead | null;
}

/** Follows the chain from the oldest record that is there up to the first that breaks it. */
export function verifyAudit(project: Project): AuditCheck {
  let records = 0;
  let before: AuditHead | null = null;
  const broken = (file: string, number: number, reason: string): AuditCheck => ({
    records,
    broken: { file, record: number, reason },
    head: before,
  });
  let lastFile = current;
  const key = readKey(project);
  for (const { file, line } of readAuditLines(project)) {
    const read = parseRecord(line);
    const n: number = (before?.n ?? 0) + 1;
    lastFile = file;
    if (read === null) return broken(file, n, "it is no record");
    if (before !== null && read.n !== n)
      return broken(file, n, `record ${read.n} follows record ${before.n}`);
    if (before !== null && read.previous !== before.sha256)
      return broken(file, before.n, "it is not what the record after it continues");
    if (read.question !== null && (key === null || hashQuestion(key, read.question) !== read.question_hash))
      return broken(file, n, key === null ? "the log's key is gone" : "its question is not what was asked");
    before = { n: read.n, sha256: hashRecord(line) };
    records++;
  }
  const last = readAuditHead(project);
  if (last !== null && before === null) return broken(current, last.n, "it is gone");
  if (before !== null && last?.n !== before.n)
    return broken(
      lastFile,
      before.n + 1,
      `the log ends at ${before.n}, but ${last?.n ?? "nothing"} was written`,
    );
  if (before !== null && last?.sha256 !== before.sha256)
    return broken(lastFile, before.n, "it is not what was written last");
  return { records, broken: null, head: before };
}

/**
 * Answers a question, and writes it to the audit log before the answer is given: the one place that every operation
 * passes, with a daemon and without.
 * @throws as `answer`; PommelError `unreadable` when it cannot be recorded
 */
export async function answerAndAudit<T>(
  project: Project,
  operation: string,
  request: unknown,
  answer: () => Promise<T>,
): Promise<T> {
  const { channel, isRecorded } = getRequestContext();
  if (isRecorded) return answer();
  const inner = () => answerAsRecorded(channel, answer);
  if (!isEnabled(project)) return inner();
  const at = new Date().toISOString();
  const write = async (given: unknown, error: string | null) => {
    const question = await scrubText(project, JSON.stringify(request) ?? "");
    appendRecord(project, { at, channel, operation, question, ...measureAnswer(given), error });
  };
  let given: T;
  try {
    given = await inner();
  } catch (error) {
    await write(null, getErrorCode(error) || "internal");
    throw error;
  }
  await write(given, null);
  return given;
}

function isEnabled(project: Project): boolean {
  try {
    return loadCurrentConfig(project)["audit.enabled"];
  } catch {
    // Whoever needs the configuration reports its errors.
    return false;
  }
}

/** How much is given: results, bytes, and distinct sessions. */
function measureAnswer(given: unknown): { results: number; bytes: number; sessions: number } {
  if (given === null || given === undefined) return { results: 0, bytes: 0, sessions: 0 };
  const text = JSON.stringify(given);
  const sessions = new Set([...text.matchAll(/"session(?:_id)?":"([^"]+)"/g)].map(([, id]) => id));
  return {
    results: countResults(given),
    bytes: Buffer.byteLength(text),
    sessions: sessions.size,
  };
}

/** The entries of the longest list, and of the answers inside, of which a search of everything has several. */
function countResults(given: object): number {
  const values: unknown[] = Object.values(given);
  const longest = Math.max(0, ...values.filter(Array.isArray).map((list) => list.length));
  const inside = values.flatMap((value) =>
    value !== null && typeof value === "object" && "results" in value && Array.isArray(value.results)
      ? [value.results.length]
      : [],
  );
  return inside.reduce((sum, count) => sum + count, longest);
}

/** Making a scrubber takes longer than using it. */
const scrubbers = new Map<string, Scrubber>();

async function scrubText(project: Project, text: string): Promise<string> {
  const [{ createProjectScrubber: scrubberOf }, { scrubAlone }] = await Promise.all([
    import("../redact/project-scrubber.ts"),
    import("../redact/scrubber.ts"),
  ]);
  const known = scrubbers.get(project.root) ?? scrubberOf(project, loadCurrentConfig(project));
  scrubbers.set(project.root, known);
  return scrubAlone(known, text);
}
