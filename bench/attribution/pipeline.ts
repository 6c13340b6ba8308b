import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { isBeforeAgents } from "../../src/attribution/agents-since.ts";
import { backfill } from "../../src/attribution/checkpoints/backfill.ts";
import { type HowSeen, recordCommit } from "../../src/attribution/checkpoints/record-commit.ts";
import { silentLog } from "../../src/base/log.ts";
import { makeNewProject } from "../../src/base/paths.ts";
import { createScrubber } from "../../src/redact/create-scrubber.ts";
import { buildKindRules } from "../../src/sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { listAttributions } from "../../src/store/memory/commits/attributions.ts";
import { findCheckpointOfCommit } from "../../src/store/memory/commits/checkpoints.ts";
import { findCommitByHash, listCommitsSince } from "../../src/store/memory/commits/commits.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { saveObservation } from "../../src/store/memory/observations.ts";
import { findFirstSession } from "../../src/store/memory/sessions/turn-lookup.ts";
import type { Keeper } from "./keeper.ts";
import type { Line } from "./lines.ts";
import { type Checkout, newKeys, type World } from "./world.ts";

/** As the daemon has them: messages that come this much after a commit make it look again (git-jobs.ts). */
const lagMs = 60_000;
const maxCommits = 20;

/**
 * Pommel itself, with a memory of its own.
 * @param isLive true: it watches files, and imports each commit when it is made; false: it imports everything at the
 *   end, as `pm import` and `pm checkpoint backfill --all` do
 */
export function pommel(world: World, { isLive }: { isLive: boolean }): Keeper {
  const root = world.main.dir;
  mkdirSync(join(world.scratch, "memory"), { recursive: true });
  const name = isLive ? "live" : "imported";
  const memory = Memory.open(join(world.scratch, "memory", `${name}.db`), { readonly: false });
  const scrubber = createScrubber({ globalFile: "", projectFile: null, pii: false });
  const times: number[] = [];
  const linesRead = new Map<string, number>();
  let seen = new Map<string, readonly Line[]>(world.main.files);
  let wasDown = false;
  /** What the hooks left while no daemon ran. */
  const spooled: (() => Promise<void>)[] = [];
  const isDown = () => world.now < world.downUntil;
  /** The watcher looks then at what was saved before. */
  let lookAt: number | null = null;

  const roots = () => [...new Set([root, ...world.sessions.map(({ checkout }) => checkout.dir)])];
  const work = () => ({ memory, project: makeNewProject(root), roots: roots(), scrubber, log: silentLog });

  /** What the clients have written by now. @returns the time of the first new line; null: there is none */
  async function ingest(): Promise<number | null> {
    const worktrees = roots().slice(1);
    let since: number | null = null;
    for (const { told, dir, isForeign, uid, meta, adapter } of world.sessions) {
      const size = told.lines.length;
      const before = linesRead.get(uid) ?? 0;
      if (isForeign || size === 0 || before === size) continue;
      linesRead.set(uid, size);
      for (const line of told.lines.slice(before)) {
        const at = Date.parse(String((line as { timestamp?: string }).timestamp));
        if (!Number.isNaN(at)) since = Math.min(since ?? at, at);
      }
      await ingestTranscript(
        {
          memory,
          agent: adapter,
          scrubber,
          ledgerKey: Buffer.alloc(32, 7),
          embedder: null,
          chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: buildKindRules() },
          maxChunks: 0,
          root,
          worktrees,
          log: silentLog,
        },
        told.writeTo(dir, meta),
      );
    }
    return since;
  }

  async function takeIn(hash: string, how: HowSeen): Promise<void> {
    const start = performance.now();
    await recordCommit(work(), hash, how);
    times.push(performance.now() - start);
  }

  async function workOff(): Promise<void> {
    const since = await ingest();
    if (isLive && since !== null) {
      const late = listCommitsSince(memory, since - lagMs, maxCommits + 1);
      for (const hash of late) await takeIn(hash, { seen: "reflog", again: true });
    }
    for (const job of spooled.splice(0)) await job();
  }

  function look({ files, mtimes }: Checkout): void {
    if (isDown()) {
      wasDown = true;
      return;
    }
    // What was saved while it was down was never seen.
    if (wasDown) seen = new Map(files);
    wasDown = false;
    const fresh = [...files].filter(([path, lines]) => seen.get(path) !== lines);
    const at = ([path]: [string, unknown]) => mtimes.get(path) ?? 0;
    for (const [path, lines] of fresh.sort((a, b) => at(a) - at(b))) {
      const keys = newKeys(path, seen.get(path) ?? [], lines);
      saveObservation(memory, { path, at: at([path, lines]), keys });
    }
    seen = new Map(files);
  }

  return {
    name,
    times,
    look(checkout) {
      if (!isLive || !checkout.isWatched) return;
      const delay = world.habits.watcherDelay * 1000;
      lookAt ??= world.now + delay;
      if (world.now < lookAt) return;
      lookAt = null;
      look(checkout);
    },
    async takeIn(_, hash, how) {
      if (!isLive) return;
      // A commit waits for what the watcher has seen before it.
      if (lookAt !== null) {
        lookAt = null;
        look(world.main);
      }
      spooled.push(() => takeIn(hash, how));
      if (!isDown()) await workOff();
    },
    async finish() {
      await workOff();
      if (!isLive) await backfill(work(), { all: true });
    },
    rangesOf(hash) {
      const commit = findCommitByHash(memory, hash);
      return commit === null ? [] : listAttributions(memory, commit.id);
    },
    isBeforeAgents(hash, basis) {
      const commit = findCommitByHash(memory, hash);
      const first = findFirstSession(memory);
      if (commit === null || first === null) return false;
      const hasSession = findCheckpointOfCommit(memory, hash) !== null;
      const since = { at: first.startedAt, may_be_incomplete: false };
      return isBeforeAgents({ authoredAt: commit.authoredAt, hasSession }, basis, since);
    },
    bindingsOf: (hash) => findCheckpointOfCommit(memory, hash)?.sessions ?? [],
    close: () => memory.close(),
  };
}
