import type { CommandOutcome } from "../../protocol/values.ts";
import { commands } from "../tables/commands.ts";
import { insertInto, selectColumns } from "../tables/statements.ts";
import type { TableRow } from "../tables/table.ts";
import type { Memory } from "./memory.ts";

/** A program that an agent ran. */
export interface CommandToStore extends Omit<TableRow<typeof commands>, "id" | "turnId"> {
  /** Of the error's lines. */
  signatures: string[];
}

export interface CommandRecord extends Omit<CommandToStore, "signatures"> {
  id: number;
  sessionId: number;
  sessionUid: string;
  agent: string;
  /** The colleague who shared the session. */
  author: string | null;
  turn: number;
}

const columns = `${selectColumns(commands, { of: "c", except: ["turnId"] })}, t.session_id AS sessionId,
  s.uid AS sessionUid, s.agent, s.author, t.number AS turn`;
const from = "FROM commands c JOIN turns t ON t.id = c.turn_id JOIN sessions s ON s.id = t.session_id";

/** Puts the commands of a turn in place of those that are stored. */
export function saveCommands(memory: Memory, turnId: number, ran: readonly CommandToStore[]): void {
  memory.runInTransaction(() => {
    memory.prepare("DELETE FROM commands WHERE turn_id = ?").run(turnId);
    if (ran.length === 0) return;
    const insert = memory.prepare(`${insertInto(commands)} RETURNING id`);
    const sign = memory.prepare("INSERT OR IGNORE INTO command_errors (signature, command_id) VALUES (?, ?)");
    for (const { signatures, ...command } of ran) {
      const { id } = insert.get({ turnId, ...command }) as { id: number };
      for (const signature of signatures) sign.run(signature, id);
    }
  });
}

export interface CommandFilter {
  names?: readonly string[];
  outcome?: CommandOutcome;
  sessionId?: number;
  /** Of the session. */
  turn?: number;
  ids?: readonly number[];
  /** Only those that began before. Milliseconds. */
  until?: number | null;
  limit?: number;
}

/** The latest first. Turns that the user went back from are left out. */
export function listCommands(
  memory: Memory,
  { names, outcome, sessionId, turn, ids, until = null, limit = -1 }: CommandFilter = {},
): CommandRecord[] {
  // Only what is asked for stands in the statement: SQLite uses no index for a condition that may be left out.
  const conditions = [
    names !== undefined && "c.name IN (SELECT value FROM json_each(@names))",
    outcome !== undefined && "c.outcome = @outcome",
    sessionId !== undefined && "t.session_id = @sessionId",
    turn !== undefined && "t.number = @turn",
    ids !== undefined && "c.id IN (SELECT value FROM json_each(@ids))",
    until !== null && "c.at < @until",
  ].filter((condition) => condition !== false);
  return memory.all<CommandRecord>(
    `SELECT ${columns} ${from} WHERE ${["NOT t.abandoned", ...conditions].join(" AND ")}
     ORDER BY c.at DESC NULLS LAST, c.id DESC LIMIT @limit`,
    { names, outcome, sessionId, turn, ids, until, limit },
  );
}

/** What a run was, without how it failed and who ran it: a third of the columns of all runs. */
export type RunSummary = Pick<
  CommandRecord,
  | "id"
  | "sessionId"
  | "turn"
  | "at"
  | "tookMs"
  | "directory"
  | "line"
  | "name"
  | "form"
  | "purpose"
  | "outcome"
>;

/** The latest first. Turns that the user went back from are left out. */
export const listRuns = (
  memory: Memory,
  { until, limit }: { until: number | null; limit: number },
): RunSummary[] =>
  memory.all<RunSummary>(
    `SELECT ${selectColumns(commands, { of: "c", except: ["turnId", "seq", "step", "status", "error"] })},
       t.session_id AS sessionId, t.number AS turn
     FROM commands c JOIN turns t ON t.id = c.turn_id
     WHERE NOT t.abandoned AND (@until IS NULL OR c.at < @until)
     ORDER BY c.at DESC NULLS LAST, c.id DESC LIMIT @limit`,
    { until, limit },
  );

/** What sessions ran with success from a turn on, each form of each session once. */
export function listWorkedForms(
  memory: Memory,
  since: readonly { sessionId: number; turn: number }[],
  until: number | null,
): Pick<CommandRecord, "sessionId" | "form" | "name">[] {
  return memory.all<Pick<CommandRecord, "sessionId" | "form" | "name">>(
    `SELECT t.session_id AS sessionId, c.form, min(c.name) AS name
     FROM json_each(@since) f JOIN turns t ON t.session_id = json_extract(f.value, '$.sessionId')
       JOIN commands c ON c.turn_id = t.id
     WHERE t.number >= json_extract(f.value, '$.turn') AND NOT t.abandoned AND c.outcome = 'worked'
       AND (@until IS NULL OR c.at < @until)
     GROUP BY t.session_id, c.form`,
    { since, until },
  );
}

/** In how many of the latest sessions each form of a command worked. */
export function countSessionsByForm(
  memory: Memory,
  { until, sessions }: { until: number | null; sessions: number },
): Map<string, number> {
  const rows = memory.all<{ form: string; sessions: number }>(
    `SELECT c.form, count(DISTINCT t.session_id) AS sessions
     FROM commands c JOIN turns t ON t.id = c.turn_id
     WHERE c.outcome = 'worked' AND NOT t.abandoned AND (@until IS NULL OR c.at < @until) AND t.session_id IN (
       SELECT id FROM sessions WHERE parent_id IS NULL AND (@until IS NULL OR started_at < @until)
       ORDER BY started_at DESC NULLS LAST LIMIT @sessions)
     GROUP BY c.form`,
    { until, sessions },
  );
  return new Map(rows.map(({ form, sessions: of }) => [form, of]));
}

/** Failed commands with one of these signatures, each with those that it has, the latest first. */
export function listCommandsWithErrors(
  memory: Memory,
  signatures: readonly string[],
  { until = null }: { until?: number | null } = {},
): { command: CommandRecord; signatures: string[] }[] {
  const rows = memory.all<CommandRecord & { signatures: string }>(
    `SELECT ${columns}, json_group_array(e.signature) AS signatures
     FROM command_errors e JOIN commands c ON c.id = e.command_id
       JOIN turns t ON t.id = c.turn_id JOIN sessions s ON s.id = t.session_id
     WHERE e.signature IN (SELECT value FROM json_each(@signatures)) AND NOT t.abandoned AND c.outcome = 'failed'
       AND (@until IS NULL OR c.at < @until)
     GROUP BY c.id ORDER BY c.at DESC NULLS LAST, c.id DESC`,
    { signatures, until },
  );
  return rows.map(({ signatures: found, ...command }) => ({ command, signatures: JSON.parse(found) }));
}

export interface ErrorSignature {
  signature: string;
  /** That met it in a run that failed, and that had it in one that worked. */
  sessions: number;
  worked: number;
}

/** Every signature of a failed run. */
export function listErrorSignatures(
  memory: Memory,
  { until = null }: { until?: number | null } = {},
): ErrorSignature[] {
  return memory.all<ErrorSignature>(
    `SELECT e.signature, count(DISTINCT iif(c.outcome = 'failed', t.session_id, NULL)) AS sessions,
       count(DISTINCT iif(c.outcome = 'failed', NULL, t.session_id)) AS worked
     FROM command_errors e JOIN commands c ON c.id = e.command_id JOIN turns t ON t.id = c.turn_id
     WHERE NOT t.abandoned AND (@until IS NULL OR c.at < @until) GROUP BY e.signature HAVING sessions > 0`,
    { until },
  );
}

/** The signatures of a run. */
export const listSignaturesOfCommand = (memory: Memory, id: number): string[] =>
  memory
    .all<{ signature: string }>("SELECT signature FROM command_errors WHERE command_id = ?", id)
    .map(({ signature }) => signature);
