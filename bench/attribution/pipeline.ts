import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { claude } from "../../src/agents/claude/claude.ts";
import { recordCommit } from "../../src/attribution/checkpoints/record-commit.ts";
import { silentLog } from "../../src/project/log.ts";
import { projectAt } from "../../src/project/paths.ts";
import { createScrubber } from "../../src/redact/create-scrubber.ts";
import { kindRules } from "../../src/sessions/chunks/kinds.ts";
import { ingestTranscript } from "../../src/sessions/ingest/ingest.ts";
import { attributionsOf } from "../../src/store/memory/commits/attributions.ts";
import { checkpointOfCommit } from "../../src/store/memory/commits/checkpoints.ts";
import { commitByHash } from "../../src/store/memory/commits/commits.ts";
import { Memory } from "../../src/store/memory/memory.ts";
import { saveObservation } from "../../src/store/memory/observations.ts";
import type { Keeper } from "./keeper.ts";
import type { Line } from "./lines.ts";
import { newKeys, type World } from "./world.ts";

/**
 * Pommel itself, with a memory of its own.
 * @param isLive true: it watches files, and imports each commit when it is made; false: it imports everything at the
 *   end
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

  const roots = () => [...new Set([root, ...world.sessions.map(({ checkout }) => checkout.dir)])];

  /** What the client has written by now. */
  async function ingest(): Promise<void> {
    const worktrees = roots().slice(1);
    for (const { told, dir, isForeign, uid, meta } of world.sessions) {
      const size = told.lines.length;
      if (isForeign || size === 0 || linesRead.get(uid) === size) continue;
      linesRead.set(uid, size);
      await ingestTranscript(
        {
          memory,
          agent: claude,
          scrubber,
          ledgerKey: Buffer.alloc(32, 7),
          embedder: null,
          chunks: { minTokens: 200, maxTokens: 800, pauseMinutes: 5, kinds: kindRules() },
          maxChunks: 0,
          root,
          worktrees,
          log: silentLog,
        },
        told.writeTo(dir, meta),
      );
    }
  }

  async function takeIn(hash: string, how: Parameters<typeof recordCommit>[2]): Promise<void> {
    const start = performance.now();
    const work = { memory, project: projectAt(root), roots: roots(), scrubber, log: silentLog };
    await recordCommit(work, hash, how);
    times.push(performance.now() - start);
  }

  async function workOff(): Promise<void> {
    await ingest();
    for (const job of spooled.splice(0)) await job();
  }

  return {
    name,
    times,
    look({ files, mtimes, isWatched }) {
      if (!isLive || !isWatched) return;
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
        const keys = newKeys(seen.get(path) ?? [], lines);
        saveObservation(memory, { path, at: at([path, lines]), keys });
      }
      seen = new Map(files);
    },
    async takeIn(_, hash, how) {
      if (!isLive) return;
      spooled.push(() => takeIn(hash, how));
      if (!isDown()) await workOff();
    },
    async finish() {
      await workOff();
      if (isLive) return;
      for (const hash of world.history.commits.keys()) await takeIn(hash, { seen: "history" });
    },
    rangesOf(hash) {
      const commit = commitByHash(memory, hash);
      return commit === null ? [] : attributionsOf(memory, commit.id);
    },
    bindingsOf: (hash) => checkpointOfCommit(memory, hash)?.sessions ?? [],
    close: () => memory.close(),
  };
}
