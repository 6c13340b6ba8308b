import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { GitWork } from "../../src/attribution/checkpoints/work.ts";
import type { attributeChange } from "../../src/attribution/lines/attribute.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import type { Memory } from "../../src/store/memory/memory.ts";
import type { AttributionRecord, Binding } from "../../src/store/memory/memory-records.ts";
import { packContent } from "../../src/store/memory/sessions/content.ts";
import { findSessionByUid, type SessionUpdate } from "../../src/store/memory/sessions/sessions.ts";
import { saveTranscript } from "../../src/store/memory/sessions/transcripts.ts";
import { saveTurn } from "../../src/store/memory/sessions/turns.ts";
import { addSession, createMemory, turn } from "./memory-fixture.ts";
import { configureGit, headOf, initialiseRepository } from "./repository-fixture.ts";

/** For tests: a git repository with a memory and given times. */

/** The repository's first commit is so many seconds after the epoch; each following one a minute later. */
export const firstCommitAt = Date.UTC(2026, 0, 5, 9) / 1000;

export interface Repository {
  root: string;
  memory: Memory;
  work: GitWork;
  git(...args: string[]): string;
  /** Writes files (null: removes them) and commits all there is. @returns its hash */
  commit(message: string, files?: Record<string, string | null>): string;
  /** What happens next happens so many minutes later. */
  wait(minutes: number): void;
  /** Now; milliseconds since the epoch. */
  now(): number;
  remove(): void;
}

export function temporaryRepository({ init }: { init?: string[] } = {}): Repository {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "pommel-checkpoints-")));
  let seconds = firstCommitAt - 60;
  const git = (...args: string[]) => {
    const date = `${seconds} +0000`;
    return execFileSync("git", ["-C", root, ...args], {
      encoding: "utf8",
      stdio: "pipe",
      env: {
        ...process.env,
        GIT_AUTHOR_DATE: date,
        GIT_COMMITTER_DATE: date,
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_EDITOR: "true",
      },
    }).trim();
  };
  if (init === undefined) initialiseRepository(root);
  else git("init", "--quiet", ...init);
  configureGit(root, { email: "ann@example.com" });
  const project = makeNewProject(root);
  const memory = createMemory(project.memoryDb);
  const scrubber = {
    version: "test",
    scrub: (text: string) => text.replaceAll("hunter22", "[REDACTED_PASSWORD]"),
    find: () => [],
  };
  return {
    root,
    memory,
    work: { memory, project, roots: [root], scrubber, log: silentLog, attribute: byComment },
    git,
    commit(message, files = {}) {
      seconds += 60;
      for (const [path, text] of Object.entries(files)) {
        const file = join(root, path);
        mkdirSync(dirname(file), { recursive: true });
        if (text === null) rmSync(file);
        else writeFileSync(file, text);
      }
      git("add", "--all");
      git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "--message", message);
      return headOf(root);
    },
    wait(minutes) {
      seconds += minutes * 60;
    },
    now: () => seconds * 1000,
    remove() {
      memory.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A session with turns of a prompt each, the first of them at a time; a minute apart. */
export function rememberSession(
  memory: Memory,
  uid: string,
  prompts: readonly string[],
  { at = firstCommitAt * 1000 - 600_000, ...more }: Partial<SessionUpdate> & { at?: number } = {},
): void {
  const lastAt = at + prompts.length * 60_000;
  const session = addSession(memory, uid, { startedAt: at, lastAt, ...more });
  for (const [i, prompt] of prompts.entries()) {
    const startedAt = at + i * 60_000;
    const content = packContent([
      { uid: null, seq: 2 * i, at: startedAt, entries: [{ kind: "prompt", text: prompt, images: 0 }] },
      {
        uid: null,
        seq: 2 * i + 1,
        at: startedAt + 1000,
        model: "big-model",
        entries: [{ kind: "text", text: `Done: ${prompt}` }],
      },
    ]);
    saveTurn(memory, session.id, turn(i + 1, { startedAt, endedAt: startedAt + 30_000, prompt, content }));
  }
}

/** As `rememberSession`, from a transcript that was read so many days after the session began. */
export function rememberReadSession(memory: Memory, uid: string, at: number, days = 1): void {
  rememberSession(memory, uid, ["make it"], { at });
  saveTranscript(memory, {
    agent: "claude",
    path: `/home/ann/${uid}.jsonl`,
    offset: 0,
    lineHash: "",
    size: 0,
    skipped: {},
    readAt: at + days * 86_400_000,
    sessionId: findSessionByUid(memory, uid)!.id,
  });
}

/**
 * Lines that say who wrote them: `x = 1 // s:2` is of turn 2 of the session "s", if it is remembered, and everything
 * else a human's.
 */
export const byComment: typeof attributeChange = async ({ memory }, { files }) => {
  const ranges: AttributionRecord[] = [];
  const bindings = new Map<string, Binding>();
  const isKnown = memory.prepare("SELECT 1 FROM sessions WHERE uid = ?");
  for (const { path, hunks } of files) {
    for (const { newStart, added } of hunks) {
      for (const [i, text] of added.entries()) {
        const [, session, number] = /\/\/ ([\w/-]+):(\d+)$/.exec(text) ?? [];
        const uid = session !== undefined && isKnown.get(session) ? session : null;
        const line = { path, firstLine: newStart + i, lastLine: newStart + i };
        const last = ranges.at(-1);
        if (
          uid === null &&
          last?.author === "human" &&
          last.path === path &&
          last.lastLine === newStart + i - 1
        ) {
          last.lastLine++;
          continue;
        }
        ranges.push({
          ...line,
          author: uid === null ? "human" : "agent",
          sessionUid: uid,
          turn: uid === null ? null : Number(number),
          toolUse: uid === null ? null : `toolu_${number}`,
          model: uid === null ? null : "big-model",
          confidence: 1,
          how: uid === null ? "absence" : "edit",
        });
        if (uid === null) continue;
        const binding = bindings.get(uid) ?? {
          sessionUid: uid,
          turns: [],
          lines: 0,
          how: "lines",
          confidence: 1,
        };
        binding.lines++;
        binding.turns = [...new Set([...binding.turns, Number(number)])].sort((a, b) => a - b);
        bindings.set(uid, binding);
      }
    }
  }
  return { ranges, bindings: [...bindings.values()].sort((a, b) => b.lines - a.lines) };
};
