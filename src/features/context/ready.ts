import { createHash } from "node:crypto";
import { join } from "node:path";
import { answerAndAudit } from "../../answers/audit.ts";
import { answerThroughChannel } from "../../answers/channel.ts";
import { loadCurrentConfig, withMemory } from "../../answers/open.ts";
import type { Config } from "../../base/config/settings.ts";
import { readChangeStamp } from "../../base/files/file-id.ts";
import { locateHome, locateOwnConfig } from "../../base/home.ts";
import { type Project, readGitDir } from "../../base/paths.ts";
import { estimateTokens } from "../../base/text/text-size.ts";
import {
  findLastChange,
  locateSaidFile,
  type ReadyAtStart,
  type ReadyForEdits,
  type ReadyLine,
  removeReady,
  writeReady,
} from "../../protocol/ready-context.ts";
import { readPublicKey } from "../../protocol/sealed-text.ts";
import type { GivenContextItem } from "../../protocol/spool-items.ts";
import { saveInjection } from "../../store/memory/injections.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listActiveSessions } from "../../store/memory/sessions/sessions-here.ts";
import { trustFileIn } from "../../sync/origin/trust.ts";
import { toTellAfterCompaction, toTellAtStart } from "./at-start.ts";
import { buildContextSource, maxTokens, readCompactionSummary } from "./context.ts";
import { toTellByFile } from "./for-edit.ts";
import { giveContext } from "./operation.ts";
import { type ContextItem, frameQuotes, splitFrame } from "./source.ts";

/** Sessions that were at work so lately may be compacted; the latest. Milliseconds. */
const compactedWithinMs = 3_600_000;
const maxCompactions = 8;

/**
 * Writes down what agents in a checkout are told by themselves, for hooks that have no time to ask (ready-context.ts); removes
 * it where nothing is to be told. To be called where the memory is open.
 */
export async function makeReady(project: Project): Promise<void> {
  const config = loadCurrentConfig(project);
  const isWanted = config["context.mode"] !== "off" && config["sessions.capture"];
  if (!isWanted || readPublicKey() !== null) return removeReady(project.root);
  // As the hook itself would be answered.
  await answerThroughChannel("hook", () =>
    withMemory(project, (memory) => writeAll(project, config, memory)),
  );
}

async function writeAll(project: Project, config: Config, memory: Memory): Promise<void> {
  const kinds = config["context.kinds"];
  // What changes while it is made makes it old.
  const made = {
    root: project.root,
    at: Date.now(),
    from: readSourceStamps(project),
    memory: readMemoryState(project),
    ...splitFrame(),
  };
  const atStart: ReadyAtStart = { ...made, start: [], compactions: {} };
  // Of a session that is new.
  const source = await buildContextSource(project, memory, { session_id: "", cwd: project.root });
  if (kinds.includes("start")) atStart.start = quoteLines(await toTellAtStart(source, ""));
  if (kinds.includes("compaction")) {
    // What has only begun has no transcript yet, and nothing to lose.
    const active = listActiveSessions(memory, made.at - compactedWithinMs).filter(
      ({ paths }) => paths.length > 0,
    );
    for (const { uid, paths } of active.sort((a, b) => b.lastAt - a.lastAt).slice(0, maxCompactions)) {
      const summary = await readCompactionSummary(memory, { transcript_path: paths[0] });
      atStart.compactions[uid] = quoteLines(toTellAfterCompaction(source, uid, summary));
    }
  }
  writeReady("start", atStart);
  const forEdits: ReadyForEdits = { ...made, files: {} };
  if (kinds.includes("edit"))
    for (const [file, items] of await toTellByFile(source)) forEdits.files[file] = quoteLines(items);
  writeReady("edits", forEdits);
}

/** What must be as it was. */
function readSourceStamps(project: Project): Record<string, string> {
  const gitDir = readGitDir(project.root);
  const files = [
    ...(gitDir === null ? [] : [join(gitDir, "HEAD")]),
    locateOwnConfig(),
    project.configFile,
    project.teamConfigFile,
    locateSaidFile(project),
    trustFileIn(locateHome()),
  ];
  return Object.fromEntries(files.map((file) => [file, readChangeStamp(file)]));
}

/** The files of a memory, and when they changed last. */
function readMemoryState({ memoryDb }: Project): ReadyAtStart["memory"] {
  const files = [memoryDb, `${memoryDb}-wal`];
  return { files, changedAt: findLastChange(files) };
}

/** Names the state of all that it is made from: what is ready is made anew when this changes. */
export const describeReadySources = (project: Project): string =>
  JSON.stringify([readSourceStamps(project), readMemoryState(project).changedAt]);

function quoteLines(items: readonly ContextItem[]): ReadyLine[] {
  const framed = frameQuotes(items, maxTokens);
  if (framed === null) return [];
  return framed.included.map(({ ref, why, score, session = null }, i) => ({
    text: framed.lines[i]!,
    ref,
    why,
    score,
    session,
  }));
}

/** Records what a hook told by itself, as if it had asked. */
export async function recordGiven(project: Project, memory: Memory, item: GivenContextItem): Promise<void> {
  const { session_id, event, received_at: at, took_ms: tookMs, text, items, call_id, decision = null } = item;
  const reason = [...new Set(items.map(({ why }) => why))].join("; ");
  const tokens = estimateTokens(text);
  const textHash = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const record = async () => {
    saveInjection(memory, {
      sessionUid: session_id,
      event,
      at,
      reason,
      tokens,
      tookMs,
      textHash,
      callId: call_id ?? null,
      decision,
      items,
    });
    return { text, items };
  };
  await answerThroughChannel("hook", () =>
    answerAndAudit(project, giveContext.name, { event, session_id }, record),
  );
}
