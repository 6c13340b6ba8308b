import { relativizer } from "../../sessions/relative-paths.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import { type Activity, activityOf, type Delegation, type ShellRun, type Write } from "./writes.ts";

/** Lines of turns that are kept unpacked; one of them takes about 200 bytes. */
const maxLines = 300_000;
/** Of a file's turns the latest, and of those that ran commands. */
const maxTurns = 400;

interface TurnRow {
  id: number;
  sessionUid: string;
  cwd: string;
  number: number;
  endedAt: number | null;
  size: number;
}

/** What turns did to files, unpacked once for several commits. */
export class TurnActivity {
  private readonly known = new Map<number, { stamp: string; activity: Activity; lines: number }>();
  private lines = 0;

  constructor(
    private readonly memory: Memory,
    private readonly places: { root: string; worktrees: readonly string[] },
  ) {}

  /** What turns up to a time wrote into files, oldest first. */
  writesTo(paths: readonly string[], until: number): Write[] {
    const wanted = new Set(paths);
    const rows = this.rows(
      `t.id IN (SELECT turn_id FROM turn_files WHERE how <> 'read' AND path IN (SELECT value FROM json_each(@paths)))
       AND t.started_at <= @until`,
      { paths: JSON.stringify(paths), until },
    );
    return rows
      .flatMap((row) => this.activityIn(row).writes)
      .filter(({ path, at, how }) => how === "edit" && wanted.has(path) && at <= until)
      .sort((a, b) => a.at - b.at);
  }

  /** What ran, or was written by commands, at some time from `since` to `until`; oldest first. */
  shellBetween(
    since: number,
    until: number,
  ): { runs: ShellRun[]; writes: Write[]; delegations: Delegation[] } {
    const rows = this.rows(
      `t.started_at <= @until AND coalesce(t.ended_at, t.started_at) >= @since
       AND EXISTS (SELECT 1 FROM turn_actions WHERE turn_id = t.id AND action IN ('command', 'delegate'))`,
      { since, until },
    );
    const activity = rows.map((row) => this.activityIn(row));
    return {
      runs: activity
        .flatMap(({ runs }) => runs)
        .filter(({ startedAt, endedAt }) => endedAt >= since && startedAt <= until)
        .sort((a, b) => a.startedAt - b.startedAt),
      writes: activity
        .flatMap(({ writes }) => writes)
        .filter(({ how, at }) => how === "shell" && at <= until)
        .sort((a, b) => a.at - b.at),
      delegations: activity.flatMap(({ delegations }) => delegations),
    };
  }

  /** Turns that changed one of the files, at some time from `since` to `until`. */
  touched(paths: readonly string[], since: number, until: number): { sessionUid: string; turn: number }[] {
    return this.memory
      .prepare(
        `SELECT DISTINCT s.uid AS sessionUid, t.number AS turn
         FROM turn_files f JOIN turns t ON t.id = f.turn_id JOIN sessions s ON s.id = t.session_id
         WHERE f.path IN (SELECT value FROM json_each(@paths)) AND f.how <> 'read'
           AND t.started_at <= @until AND coalesce(t.ended_at, t.started_at) >= @since
         ORDER BY t.started_at`,
      )
      .all({ paths: JSON.stringify(paths.slice(0, maxTurns)), since, until }) as {
      sessionUid: string;
      turn: number;
    }[];
  }

  /** Whether an agent was at work at some time in between. */
  wasActive(since: number, until: number): boolean {
    return (
      this.memory
        .prepare(
          "SELECT 1 FROM turns WHERE started_at <= ? AND coalesce(ended_at, started_at) >= ? AND number > 0 LIMIT 1",
        )
        .get(until, since) !== undefined
    );
  }

  /** When the first conversation that is remembered began; null where there is none. */
  firstSession(): number | null {
    const row = this.memory.prepare("SELECT min(started_at) AS at FROM turns WHERE started_at > 0").get();
    return (row as { at: number | null }).at;
  }

  private rows(condition: string, given: object): TurnRow[] {
    return this.memory
      .prepare(
        `SELECT t.id, s.uid AS sessionUid, s.cwd, t.number, t.ended_at AS endedAt, length(t.content) AS size
         FROM turns t JOIN sessions s ON s.id = t.session_id
         WHERE ${condition} ORDER BY t.started_at DESC LIMIT ${maxTurns}`,
      )
      .all(given) as TurnRow[];
  }

  private activityIn({ id, sessionUid, cwd, number, endedAt, size }: TurnRow): Activity {
    const stamp = `${endedAt} ${size}`;
    const known = this.known.get(id);
    if (known?.stamp === stamp) {
      // The one that was asked for last goes last.
      this.known.delete(id);
      this.known.set(id, known);
      return known.activity;
    }
    const row = this.memory.prepare("SELECT content FROM turns WHERE id = ?").get(id);
    const content = (row as { content: Uint8Array } | undefined)?.content;
    const lines = content ? unpackContent<StoredLine>(content) : [];
    const activity = activityOf({ sessionUid, number, lines }, relativizer({ ...this.places, cwd }));
    this.keep(id, stamp, activity, known?.lines ?? 0);
    return activity;
  }

  private keep(id: number, stamp: string, activity: Activity, before: number): void {
    const lines = activity.writes.reduce(
      (sum, { hunks }) => sum + hunks.reduce((all, hunk) => all + hunk.lines.length + hunk.removed.length, 0),
      1 + activity.runs.length,
    );
    this.known.delete(id);
    this.known.set(id, { stamp, activity, lines });
    this.lines += lines - before;
    for (const [oldest, { lines: freed }] of this.known) {
      if (this.lines <= maxLines || oldest === id) break;
      this.known.delete(oldest);
      this.lines -= freed;
    }
  }
}
