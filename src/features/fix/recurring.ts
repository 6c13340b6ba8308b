import { entry } from "../../base/multimap.ts";
import { isoTime } from "../../base/text/iso-time.ts";
import { signatureOf, signaturePrefixes } from "../../sessions/commands/commands-of-turn.ts";
import {
  type CommandRecord,
  commandsWithErrors,
  errorSignatures,
  listCommands,
} from "../../store/memory/commands.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { weightsOf } from "./find-fixes.ts";
import type { RecurringError } from "./operation.ts";

/** An error counts as one that comes back from so many sessions on. */
const minSessions = 3;
const maxErrors = 10;
/** A session that rests longer is not at the error any more. Milliseconds. */
const maxCost = 30 * 60_000;

/** Errors that several sessions met, the most expensive first. */
export function recurringErrors(memory: Memory): RecurringError[] {
  const known = errorSignatures(memory).filter(
    ({ signature }) => !signature.startsWith(signaturePrefixes.rule),
  );
  const weights = weightsOf(known);
  const often = known.filter(
    ({ signature, sessions }) => sessions >= minSessions && weights.get(signature)! > 0,
  );
  const seen = new Set<number>();
  return often
    .sort((a, b) => b.sessions - a.sessions || (a.signature < b.signature ? -1 : 1))
    .flatMap(({ signature, sessions }): RecurringError[] => {
      const runs = commandsWithErrors(memory, [signature]).map(({ command }) => command);
      // The other lines of an error that is listed already.
      if (runs.filter(({ id }) => seen.has(id)).length * 2 > runs.length) return [];
      for (const { id } of runs) seen.add(id);
      const [latest] = runs;
      return [
        {
          ...{ error: lineWith(latest!, signature), command: latest!.line, times: runs.length, sessions },
          ...{ last_at: isoTime(latest!.at), cost_ms: costOf(memory, runs) },
        },
      ];
    })
    .sort((a, b) => b.cost_ms - a.cost_ms)
    .slice(0, maxErrors);
}

const lineWith = ({ error }: CommandRecord, signature: string) =>
  (error ?? "").split("\n").find((line) => signatureOf(line) === signature) ?? signature;

/** A failure costs until the same program worked again, or the session did no more. Each stretch of time counts once. */
function costOf(memory: Memory, runs: readonly CommandRecord[]): number {
  let cost = 0;
  const until = new Map<number, number>();
  const bySession = new Map<number, CommandRecord[]>();
  for (const run of runs.toReversed()) {
    if (run.at === null) continue;
    const { sessionId } = run;
    const all = entry(bySession, sessionId, () => listCommands(memory, { sessionId }));
    const later = all.filter(({ seq }) => seq > run.seq);
    const end = later.findLast(({ name, outcome }) => name === run.name && outcome === "worked") ?? later[0];
    const from = Math.max(run.at, until.get(sessionId) ?? 0);
    const to = Math.min(end?.at ?? run.at, run.at + maxCost);
    cost += Math.max(to - from, run.tookMs ?? 0);
    until.set(sessionId, Math.max(to, from));
  }
  return cost;
}
