import { execFileSync } from "node:child_process";
import { createHash, generateKeyPairSync, type KeyObject } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { claude } from "../../src/agents/claude/claude.ts";
import { silentLog } from "../../src/base/log.ts";
import type { Scrubber } from "../../src/redact/scrubber.ts";
import { buildKindRules } from "../../src/sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { sumUpSession } from "../../src/sessions/summaries/sum-up.ts";
import type { ScrubbingWork } from "../../src/sessions/work.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { unpackContent } from "../../src/store/memory/sessions/content.ts";
import type { Signing } from "../../src/sync/origin/signed-records.ts";
import { createProcessKey } from "../../src/sync/origin/signing-key.ts";
import { Trust } from "../../src/sync/origin/trust.ts";
import type { SyncOptions, SyncSettings } from "../../src/sync/report.ts";
import { syncMemory } from "../../src/sync/sync.ts";
import { fakeScrubber } from "./memory-work-fixture.ts";
import { type TranscriptFixture, transcript } from "./transcript-fixture.ts";
import type { TranscriptOptions } from "./transcript-parts.ts";

/** For tests: several machines with a project each, and a remote that they share. */

export const branch = "pommel/memory/v1";

export function sharedRemote(...init: string[]) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "pommel-sync-")));
  const remote = join(base, "remote.git");
  const run = (dir: string, ...args: string[]) =>
    execFileSync("git", ["-C", dir, "-c", "user.name=Ann", "-c", "user.email=a@b.c", ...args], {
      encoding: "utf8",
      stdio: "pipe",
    }).trim();
  mkdirSync(remote);
  run(remote, "init", "--quiet", "--bare", ...init);
  const machines: { memory: Memory }[] = [];
  const keys = new Map<string, KeyObject>();
  /** Machines of one person have one key and one file of trust; others are others'. */
  function signingOf(person: string): Signing {
    const key = keys.get(person) ?? generateKeyPairSync("ed25519").privateKey;
    keys.set(person, key);
    const own = createProcessKey(key);
    const trust = new Trust(join(base, `${person}-trust.json`), [`${person}@x.dev`]);
    trust.rememberSigner(own.fingerprint!, person, "yours");
    return { key: own, trust, projects: ["root"] };
  }

  function machine(
    name: string,
    { scrubber = fakeScrubber("none", null), person = "ann" }: { scrubber?: Scrubber; person?: string } = {},
  ) {
    const dir = join(base, name);
    mkdirSync(dir);
    run(dir, "init", "--quiet", "--initial-branch=main", ...init);
    run(dir, "remote", "add", "origin", remote);
    run(dir, "commit", "--quiet", "--allow-empty", "--message", "begin");
    const memory = Memory.open(join(base, `${name}.db`), { readonly: false });
    machines.push({ memory });
    const work: ScrubbingWork = {
      memory,
      scrubber,
      ledgerKey: Buffer.alloc(16, 7),
      embedder: null,
      chunks: { minTokens: 20, maxTokens: 200, pauseMinutes: 5, kinds: buildKindRules() },
      maxChunks: 0,
      root: dir,
      worktrees: [],
      log: silentLog,
    };
    const settings: SyncSettings = {
      branch,
      remote: "origin",
      author: null,
      signing: () => signingOf(person),
      encryption: "none",
      keyFile: join(base, `${name}.key`),
      passphrase: async () => null,
      workFactor: 4,
    };
    const git = (...args: string[]) => run(dir, ...args);
    return {
      name,
      dir,
      memory,
      work,
      settings,
      signing: () => signingOf(person),
      git,
      /** Reads a transcript, as the daemon does. */
      async read(fixture: TranscriptFixture) {
        const file = fixture.writeTo(join(base, `${name}-transcripts`));
        await ingestTranscript({ ...work, agent: claude }, file);
        await sumUpSession({ ...work, llm: null }, fixture.session);
      },
      session: (session: string, more: TranscriptOptions = {}) => transcript({ session, cwd: dir, ...more }),
      sync: (options: SyncOptions = {}, more: Partial<SyncSettings> = {}) =>
        syncMemory(work, { ...settings, ...more }, options),
      pull: (options: SyncOptions = {}, more: Partial<SyncSettings> = {}) =>
        syncMemory(work, { ...settings, ...more }, { direction: "pull", ...options }),
      /** Everything on its local branch, by path. */
      files() {
        const names = git("ls-tree", "-r", "--name-only", "-z", branch)
          .split("\0")
          .filter((file) => file !== "");
        return new Map(names.map((file) => [file, `${git("show", `${branch}:${file}`)}\n`]));
      },
      /** Writes a commit on the remote's branch with other files, as anybody who may push can. */
      tamper(files: Record<string, string | null>) {
        process.env.GIT_INDEX_FILE = join(base, "index");
        try {
          git("fetch", "--quiet", "origin", `+${branch}:refs/tamper`);
          git("read-tree", "refs/tamper");
          for (const [path, text] of Object.entries(files)) {
            if (text === null) git("rm", "--cached", "--quiet", path);
            else {
              const file = join(base, "file");
              writeFileSync(file, text);
              const blob = git("hash-object", "-w", file);
              git("update-index", "--add", "--cacheinfo", `100644,${blob},${path}`);
            }
          }
          const commit = git("commit-tree", git("write-tree"), "-p", "refs/tamper", "-m", "tamper");
          git("push", "--quiet", "origin", `${commit}:refs/heads/${branch}`);
          git("update-ref", "-d", "refs/tamper");
        } finally {
          delete process.env.GIT_INDEX_FILE;
        }
      },
      tree: () => git("rev-parse", `${branch}^{tree}`),
      /** All that must not be touched. */
      surroundings() {
        const index = join(dir, ".git/index");
        const hash = existsSync(index) ? createHash("sha1").update(readFileSync(index)).digest("hex") : null;
        return [hash, git("status", "--porcelain"), git("symbolic-ref", "HEAD"), git("stash", "list")];
      },
    };
  }

  return {
    base,
    remote,
    machine,
    git: (...args: string[]) => run(remote, ...args),
    remove() {
      for (const { memory } of machines) memory.close();
      rmSync(base, { recursive: true, force: true });
    },
  };
}

export type Machine = ReturnType<ReturnType<typeof sharedRemote>["machine"]>;

/** What a memory holds, whatever rows it has and on which machine it is. */
export function contentOf({ memory }: Pick<Machine, "memory">): Record<string, unknown[]> {
  const all = (sql: string) => memory.prepare(sql).all() as Record<string, unknown>[];
  const home = (text: string) => text.replace(/\/\S*\/pommel-sync-[^/\s"]+\/\w+/g, "");
  return {
    sessions: all(
      `SELECT s.uid, s.agent, p.uid AS parent, s.title, s.title_source, s.branch, s.started_at, s.last_at FROM sessions s
       LEFT JOIN sessions p ON p.id = s.parent_id ORDER BY s.uid`,
    ),
    lines: all(
      "SELECT l.uid, s.uid AS session, turn FROM lines l JOIN sessions s ON s.id = session_id ORDER BY 1",
    ),
    turns: all(
      `SELECT s.uid, number, abandoned, group_start, prompt, t.started_at, content FROM turns t
       JOIN sessions s ON s.id = session_id ORDER BY 1, 2`,
    ).map(({ content, ...row }) => ({
      ...row,
      lines: unpackContent<{ uid: string; entries: { kind: string; text?: string }[] }>(
        content as Buffer,
      ).map(({ uid, entries }) => [uid, ...entries.map(({ kind, text }) => [kind, text && home(text)])]),
    })),
    files: all(
      `SELECT s.uid, number, path, how FROM turn_files JOIN turns t ON t.id = turn_id
       JOIN sessions s ON s.id = session_id ORDER BY 1, 2, 3`,
    ),
    usage: all(
      `SELECT s.uid, message_uid, turn, model, input, output FROM usage JOIN sessions s ON s.id = session_id ORDER BY 1, 2`,
    ),
    chunks: all("SELECT uid, first_turn, last_turn, type, kind, text, files FROM chunks ORDER BY uid, text")
      // The row of a note identifies it.
      .map(({ uid, ...row }) => ({ ...row, text: home(String(row.text)) }))
      .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    annotations: all(
      "SELECT uid, session_uid, turn, line_uid, at, source, branch, note FROM annotations ORDER BY uid",
    ),
    summaries: all(
      `SELECT s.uid, source, up_to_turn, at, text FROM summaries JOIN sessions s ON s.id = session_id ORDER BY 1, 2, 3`,
    ).map((row) => ({ ...row, text: home(String(row.text)) })),
    checkpoints: all(
      `SELECT c.uid, hash, parent_uid, session_uid, turns, lines, how FROM checkpoints c JOIN commits ON commits.id = commit_id
       JOIN checkpoint_sessions ON checkpoint_uid = c.uid ORDER BY 1, 4`,
    ),
    attributions: all(
      `SELECT hash, path, first_line, last_line, attributions.author, session_uid, confidence FROM attributions
       JOIN commits ON commits.id = commit_id ORDER BY 1, 2, 3`,
    ),
    events: all("SELECT uid, title, status, updated_at FROM events ORDER BY uid"),
    links: all("SELECT event_uid, kind, target_uid, added_at, removed_at FROM event_links ORDER BY 1, 2, 3"),
  };
}
