import { getOrCreate } from "../../base/multimap.ts";
import { formatIsoTime } from "../../base/text/iso-time.ts";
import { normalizeErrorLine, signaturePrefixes } from "../../sessions/commands/commands-of-turn.ts";
import { weighSignatures } from "../../sessions/fixes/signature-weights.ts";
import {
  type CommandRecord,
  listCommands,
  listCommandsWithErrors,
  listErrorSignatures,
} from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import type { RecurringError } from "../fix/operation.ts";

/** An error counts as one that comes back from so many sessions on. */
const minSessions = 3;
const maxErrors = 10;
/** A session that rests longer is not at the error any more. Milliseconds. */
const maxCost = 30 * 60_000;

/** Errors that several sessions met, the most expensive first. */
export function findRecurringErrors(memory: Memory): RecurringError[] {
  const known = listErrorSignatures(memory).filter(
    ({ signature }) => !signature.startsWith(signaturePrefixes.rule),
  );
  const weights = weighSignatures(known);
  const often = known.filter(
    ({ signature, sessions }) => sessions >= minSessions && weights.get(signature)! > 0,
  );
  const seen = new Set<number>();
  return often
    .sort((a, b) => b.sessions - a.sessions || (a.signature < b.signature ? -1 : 1))
    .flatMap(({ signature, sessions }): RecurringError[] => {
      const runs = listCommandsWithErrors(memory, [signature]).map(({ command }) => command);
      // The other lines of an error that is listed already.
      if (runs.filter(({ id }) => seen.has(id)).length * 2 > runs.length) return [];
      for (const { id } of runs) seen.add(id);
      const [latest] = runs;
      return [
        {
          error: findLineWith(latest!, signature),
          command: latest!.line,
          times: runs.length,
          sessions,
          last_at: formatIsoTime(latest!.at),
          cost_ms: measureFailureCost(memory, runs),
        },
      ];
    })
    .sort((a, b) => b.cost_ms - a.cost_ms)
    .slice(0, maxErrors);
}

const findLineWith = ({ error }: CommandRecord, signature: string) =>
  (error ?? "").split("\n").find((line) => normalizeErrorLine(line) === signature) ?? signature;

/** A failure costs until the same program worked again, or the session did no more. Each stretch of time counts once. */
function measureFailureCost(memory: Memory, runs: readonly CommandRecord[]): number {
  let cost = 0;
  const until = new Map<number, number>();
  const bySession = new Map<number, CommandRecord[]>();
  for (const run of runs.toReversed()) {
    if (run.at === null) continue;
    const { sessionId } = run;
    const all = getOrCreate(bySession, sessionId, () => listCommands(memory, { sessionId }));
    const later = all.filter(({ seq }) => seq > run.seq);
    const end = later.findLast(({ name, outcome }) => name === run.name && outcome === "worked") ?? later[0];
    const from = Math.max(run.at, until.get(sessionId) ?? 0);
    const to = Math.min(end?.at ?? run.at, run.at + maxCost);
    cost += Math.max(to - from, run.tookMs ?? 0);
    until.set(sessionId, Math.max(to, from));
  }
  return cost;
}
