import { createHash } from "node:crypto";
import { join } from "node:path";
import { makeNewProject } from "../../src/base/paths.ts";
import { findMentions } from "../../src/features/fix/find-mentions.ts";
import { findWorkingCommands } from "../../src/features/how/find-commands.ts";
import { readProjectScripts } from "../../src/features/how/project-scripts.ts";
import { explainLines } from "../../src/features/why/why-lines.ts";
import { readGitTextIfAny } from "../../src/git/git.ts";
import { buildBrief } from "../../src/sessions/brief/brief.ts";
import { listStoredDecisions } from "../../src/sessions/decisions/stored.ts";
import { findFixes } from "../../src/sessions/fixes/find-fixes.ts";
import { listCommands } from "../../src/store/memory/commands.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { SessionRecord } from "../../src/store/memory/memory-records.ts";
import { listSessions } from "../../src/store/memory/sessions/sessions.ts";
import { commandsAfter, endingEvidence, turnEvidence } from "./evidence.ts";

/** What an operation says of the past, and what a reader needs to know whether it is true. */
export interface Statement {
  kind: Kind;
  /** Where it was asked: a session, a line, a form. */
  of: string;
  text: string;
  evidence: string[];
}

export const kinds = ["outcome", "open", "title", "how", "fix", "decision", "why"] as const;
export type Kind = (typeof kinds)[number];

export interface Draw {
  memory: Memory;
  /** The repository; its files say what its scripts are, its history who wrote a line. */
  root: string;
  count: number;
  seed: string;
}

/** Names a statement, wherever it is said again. */
export const idOf = ({ kind, of, text }: Statement): string =>
  createHash("sha256").update(`${kind}\n${of}\n${text}`).digest("hex").slice(0, 16);

/** Some of all, the same for the same seed, and spread by chance. */
function drawn<T>(all: readonly T[], keyOf: (one: T) => string, { count, seed }: Draw): T[] {
  const place = (one: T) =>
    createHash("sha256")
      .update(`${seed}\n${keyOf(one)}`)
      .digest("hex");
  return all
    .map((one) => ({ one, at: place(one) }))
    .sort((a, b) => (a.at < b.at ? -1 : 1))
    .slice(0, count)
    .map(({ one }) => one);
}

export const drawers: Readonly<Record<Kind, (draw: Draw) => Statement[] | Promise<Statement[]>>> = {
  outcome: (draw) =>
    aboutSessions(draw, "outcome", (brief) => [brief.outcome === "" ? "(nothing)" : brief.outcome]),
  open: (draw) => aboutSessions(draw, "open", (brief) => [brief.open === "" ? "(nothing)" : brief.open]),
  title: (draw) => aboutSessions(draw, "title", (_, { title }) => [title ?? "(nothing)"]),
  how: howStatements,
  fix: fixStatements,
  decision: decisionStatements,
  why: whyStatements,
};

function aboutSessions(
  draw: Draw,
  kind: Kind,
  says: (brief: ReturnType<typeof buildBrief>, session: SessionRecord) => string[],
): Statement[] {
  const { memory } = draw;
  const sessions = listSessions(memory, { remembered: true });
  return drawn(sessions, ({ uid }) => uid, draw).flatMap((session) =>
    says(buildBrief(memory, session), session).map((text) => ({
      kind,
      of: session.uid,
      text,
      evidence: endingEvidence(memory, session),
    })),
  );
}

function howStatements(draw: Draw): Statement[] {
  const { memory, root } = draw;
  const lines = [...new Set(listCommands(memory, { outcome: "worked" }).map(({ line }) => line))];
  const scripts = readProjectScripts(root);
  return drawn(lines, (line) => line, draw).flatMap((q) =>
    findWorkingCommands(memory, { q, limit: 1, scripts }).commands.map(
      ({ form, line, directory, worked, failed, took_ms }) => ({
        kind: "how" as const,
        of: q,
        text: `${form} worked ${worked}, failed ${failed}, takes ${took_ms} ms; for example ${line}`,
        evidence: listCommands(memory)
          .filter((run) => run.directory === directory && run.line.split(" ", 1)[0] === line.split(" ", 1)[0])
          .slice(0, 20)
          .map((run) => `${run.outcome} ${run.tookMs} ms ${run.line}`),
      }),
    ),
  );
}

async function fixStatements(draw: Draw): Promise<Statement[]> {
  const { memory, root } = draw;
  const failures = listCommands(memory, { outcome: "failed" }).filter(({ error }) => (error ?? "") !== "");
  const statements: Statement[] = [];
  for (const failure of drawn(failures, ({ id }) => `${id}`, draw)) {
    const error = failure.error ?? "";
    const { verdict, errors } = findFixes([root], memory, { error, limit: 1 });
    const [found] = errors;
    const mentions = found === undefined ? (await findMentions(memory, error)).mentions : [];
    const fix = found?.fix;
    statements.push({
      kind: "fix",
      of: error,
      text: [
        `${mentions.length > 0 ? "said" : verdict}: ${found?.error.split("\n", 3).join(" / ") ?? mentions[0]?.text ?? ""}`,
        ...(fix == null ? ["no fix"] : [`then worked ${fix.session_id.slice(0, 8)}:${fix.turn}`]),
        ...(fix?.edits.map(({ path, diff }) => `${path}\n${diff.slice(0, 400)}`) ?? []),
        ...(fix?.commands.map((line) => `$ ${line}`) ?? []),
      ].join("\n"),
      evidence: commandsAfter(memory, (found && metAt(memory, found)) ?? failure),
    });
  }
  return statements;
}

/** The failed run that an answer is about. */
function metAt(
  memory: Memory,
  { session_id, turn, command }: { session_id: string; turn: number; command: string },
) {
  return listCommands(memory, { outcome: "failed" }).find(
    (run) => run.sessionUid === session_id && run.turn === turn && run.line === command,
  );
}

function decisionStatements(draw: Draw): Statement[] {
  const { memory } = draw;
  return drawn(listStoredDecisions(memory), ({ id }) => id, draw).map(
    ({ sessionId, sessionUid, turn, text, by }) => ({
      kind: "decision",
      of: `${sessionUid}:${turn}`,
      text: `${by}: ${text}`,
      evidence: turnEvidence(memory, sessionId, turn),
    }),
  );
}

/** Characters of a line that is worth a question. */
const minLine = 12;

async function whyStatements(draw: Draw): Promise<Statement[]> {
  const { memory, root } = draw;
  const files = ((await readGitTextIfAny(root, ["ls-files"])) ?? "")
    .split("\n")
    .filter((file) => /\.\w{1,5}$/.test(file));
  const statements: Statement[] = [];
  for (const file of drawn(files, (name) => name, draw)) {
    const text = (await readGitTextIfAny(root, ["show", `HEAD:${file}`])) ?? "";
    const lines = text.split("\n").flatMap((line, i) => (line.trim().length >= minLine ? [i + 1] : []));
    const [line] = drawn(lines, (number) => `${file}:${number}`, { ...draw, count: 1 });
    if (line === undefined) continue;
    const range = { first: line, last: line };
    const answer = await explainLines(makeNewProject(root), memory, {
      file,
      lines: range,
      brief: true,
    }).catch(() => null);
    const origin = answer?.origins[0];
    if (origin === undefined) continue;
    const blame = (await readGitTextIfAny(root, ["blame", "-L", `${line},${line}`, "--", file])) ?? "";
    statements.push({
      kind: "why",
      of: `${file}:${line}`,
      text: JSON.stringify({
        by: origin.written_by,
        commit: origin.commit,
        prompt: origin.turn?.prompt ?? null,
      }),
      evidence: [blame.trim(), join(root, file)],
    });
  }
  return statements;
}
