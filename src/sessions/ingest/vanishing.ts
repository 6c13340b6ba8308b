import type { Agent } from "../../agents/agent.ts";
import { belongsTo } from "../../git/projects/roots.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { isForgotten } from "../../store/memory/privacy/forget.ts";
import { transcriptAt } from "./moved-transcript.ts";

const dayMs = 86_400_000;
/** Sessions that vanish later are not reported yet. Days. */
const soonDays = 7;

/** A transcript of a session of the project, and whether all of it was read. */
export interface AgingTranscript {
  mtimeMs: number;
  isStored: boolean;
}

/** The sessions of a project that a client will delete, by its own settings. */
export interface Vanishing {
  /** Its name, and the one for people: "claude", "Claude Code". */
  agent: string;
  title: string;
  /** It deletes sessions without a change for this long. */
  days: number;
  /** The setting and its file; null: the client's default. */
  setting: string;
  source: string | null;
  /** Sessions that vanish within `within_days`, and those of them that are stored. */
  sessions: number;
  stored: number;
  within_days: number;
  /** When the first one vanishes, if the client is started then; ISO 8601, null without one. */
  first_at: string | null;
}

/**
 * The sessions that `agent` will delete soon; null if it deletes none.
 * @param root of the project, whose settings count as well
 */
export function vanishingOf(
  agent: Agent,
  root: string,
  transcripts: () => Iterable<AgingTranscript>,
  now = Date.now(),
): Vanishing | null {
  const retention = agent.retention?.(root) ?? null;
  if (retention === null) return null;
  const { days, setting, source } = retention;
  const soon = [...transcripts()].filter(({ mtimeMs }) => mtimeMs + (days - soonDays) * dayMs <= now);
  const first = Math.min(...soon.map(({ mtimeMs }) => mtimeMs + days * dayMs));
  return {
    ...{ agent: agent.name, title: agent.title, days, setting, source },
    sessions: soon.length,
    stored: soon.filter(({ isStored }) => isStored).length,
    within_days: soonDays,
    first_at: soon.length === 0 ? null : new Date(Math.max(first, now)).toISOString(),
  };
}

/**
 * A project's transcripts in an agent's directories, without those of subagents and of forgotten sessions. Reads the
 * beginning of each.
 */
export async function transcriptsThere(
  agent: Agent,
  roots: readonly string[],
  memory: Memory | null,
): Promise<AgingTranscript[]> {
  const found: AgingTranscript[] = [];
  for (const directory of agent.roots()) {
    for await (const { path, size, mtimeMs } of agent.list(directory)) {
      const info = await agent.describe(path).catch(() => null);
      if (info === null || info.parent !== null || !belongsTo(roots, info.cwd)) continue;
      if (memory !== null && isForgotten(memory, info.session)) continue;
      const read = (memory && transcriptAt(memory, path, info.session)?.offset) ?? 0;
      found.push({ mtimeMs, isStored: read >= size });
    }
  }
  return found;
}
