import { agentNamed } from "../../agents/registry.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { listTranscripts } from "../../store/memory/sessions/transcripts.ts";

/** Lines of an agent's transcripts that were not understood. */
export interface LeftOut {
  agent: string;
  /** Of kinds that this version does not know. */
  unknown: number;
  /** Those kinds, the most frequent first. */
  kinds: string[];
  /** No JSON, or far too long. */
  damaged: number;
}

/** Lines of transcripts that were skipped though they may matter; nothing for agents without any. */
export function leftOut(memory: Memory): LeftOut[] {
  const agents = new Map<string, { kinds: Map<string, number>; damaged: number }>();
  for (const { agent, skipped } of listTranscripts(memory)) {
    for (const [reason, lines] of Object.entries(skipped)) {
      const odd = oddReason(reason, agentNamed(agent)?.ignoredLineTypes);
      if (odd === null) continue;
      const of = agents.get(agent) ?? { kinds: new Map<string, number>(), damaged: 0 };
      agents.set(agent, of);
      if (odd === reason) of.damaged += lines;
      else of.kinds.set(odd, (of.kinds.get(odd) ?? 0) + lines);
    }
  }
  return [...agents].map(([agent, { kinds, damaged }]) => ({
    agent,
    unknown: [...kinds.values()].reduce((sum, lines) => sum + lines, 0),
    kinds: [...kinds].sort(([, one], [, other]) => other - one).map(([kind]) => kind),
    damaged,
  }));
}

/** The reason why a line that may matter was skipped: an unknown kind, or damage; null for all other reasons. */
function oddReason(reason: string, ignored: ReadonlySet<string> | undefined): string | null {
  if (reason === "malformed" || reason === "too_long") return reason;
  const kind = /^type:(.+)$/.exec(reason)?.[1];
  return kind === undefined || ignored?.has(kind) ? null : kind;
}
