import { LRUCache } from "lru-cache";
import { addTo } from "../../base/multimap.ts";
import { createRelativizer } from "../../sessions/relative-paths.ts";
import type { StoredLine } from "../../sessions/turn-content.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { unpackContent } from "../../store/memory/sessions/content.ts";
import {
  type FoundTurn,
  findContentById,
  findFirstTurnAt,
  findTurnsThatChanged,
  listTurnsByTime,
  listTurnsThatTouched,
  type TimedTurn,
} from "../../store/memory/sessions/turn-lookup.ts";
import type { OpaqueCall } from "./opaque-calls.ts";
import { type Delegation, extractActivity, type ShellRun, type TurnChanges, type Write } from "./writes.ts";

/** Lines of turns that are kept unpacked; one of them takes about 200 bytes. */
const maxLines = 300_000;
/** Of a file's turns the latest, and of those that ran commands. */
const maxTurns = 400;
/** Of turns that only read and replied the latest, and those that are quickly unpacked. Bytes. */
const maxReplies = 100;
const maxReplySize = 64 * 1024;

/** Changes to files by turns, unpacked once for several commits. */
export class TurnActivity {
  private readonly known = new LRUCache<number, { stamp: string; activity: TurnChanges }>({
    maxSize: maxLines,
    sizeCalculation: ({ activity }) => countLines(activity),
  });
  private bySession: Map<string, TimedTurn[]> | null = null;
  private turns: readonly TimedTurn[] | null = null;

  constructor(
    private readonly memory: Memory,
    private readonly places: { root: string; worktrees: readonly string[] },
  ) {}

  /** Turns may have been added or have gone on. */
  refreshTurns(): void {
    this.turns = null;
    this.bySession = null;
  }

  private getTurnsByTime(): readonly TimedTurn[] {
    this.turns ??= listTurnsByTime(this.memory);
    return this.turns;
  }

  /** The session's turns after one, in order. */
  private listTurnsAfter({ sessionUid, number }: FoundTurn): readonly TimedTurn[] {
    if (this.bySession === null) {
      this.bySession = new Map();
      for (const turn of this.getTurnsByTime()) {
        addTo(this.bySession, turn.sessionUid, turn);
      }
      for (const turns of this.bySession.values()) turns.sort((a, b) => a.number - b.number);
    }
    return (this.bySession.get(sessionUid) ?? []).filter((turn) => turn.number > number);
  }

  /** Writes to files by turns up to a time, oldest first. */
  findWritesTo(paths: readonly string[], until: number): Write[] {
    const wanted = new Set(paths);
    const changing = findTurnsThatChanged(this.memory, paths);
    if (changing.size === 0) return [];
    const writes = this.getTurnsByTime()
      .filter(({ id, startedAt }) => startedAt <= until && changing.has(id))
      .slice(0, maxTurns)
      .flatMap((row) => this.readActivityOfTurn(row).writes)
      .filter(({ path, startedAt }) => wanted.has(path) && startedAt <= until);
    return removeRepeatedWrites(writes).sort((a, b) => a.at - b.at);
  }

  /** Commands that ran, and everything that was written, at some time from `since` to `until`; oldest first. */
  findActivityBetween(
    since: number,
    until: number,
  ): { runs: ShellRun[]; writes: Write[]; delegations: Delegation[]; opaque: OpaqueCall[] } {
    const around = this.getTurnsByTime().filter(
      ({ startedAt, endedAt }) => startedAt <= until && (endedAt ?? startedAt) >= since,
    );
    const acted = around.filter(({ hasActed }) => hasActed === 1).slice(0, maxTurns);
    const replied = around
      .filter(({ hasActed, size }) => hasActed === 0 && size <= maxReplySize)
      .slice(0, maxReplies);
    const activity = [...acted, ...replied].map((turn) => this.readActivityOfTurn(turn));
    const runs: ShellRun[] = [];
    const writes: Write[] = [];
    const delegations: Delegation[] = [];
    const opaque: OpaqueCall[] = [];
    for (const each of activity) {
      for (const run of each.runs) if (run.endedAt >= since && run.startedAt <= until) runs.push(run);
      for (const write of each.writes) if (write.startedAt <= until) writes.push(write);
      delegations.push(...each.delegations);
      for (const call of each.opaque) if (call.endedAt >= since && call.startedAt <= until) opaque.push(call);
    }
    runs.sort((a, b) => a.startedAt - b.startedAt);
    return { runs, writes: removeRepeatedWrites(writes).sort((a, b) => a.at - b.at), delegations, opaque };
  }

  /** Turns that changed one of the files, at some time from `since` to `until`. */
  findTurnsThatTouched(
    paths: readonly string[],
    since: number,
    until: number,
  ): { sessionUid: string; turn: number }[] {
    return listTurnsThatTouched(this.memory, { paths: paths.slice(0, maxTurns), since, until });
  }

  /** The start of the first stored session; null without one. */
  readFirstSessionStart(): number | null {
    return findFirstTurnAt(this.memory);
  }

  private readActivityOfTurn(turn: FoundTurn): TurnChanges {
    const { id, sessionUid, cwd, number } = turn;
    const known = this.known.get(id);
    if (known?.stamp === this.makeTurnStamp(turn, known?.activity.isOpen)) return known.activity;
    const lines = this.readTurnLines(id);
    const later = this.iterateLaterLines(turn);
    const activity = extractActivity(
      { sessionUid, number, lines },
      createRelativizer({ ...this.places, cwd }),
      later,
    );
    this.known.set(id, { stamp: this.makeTurnStamp(turn, activity.isOpen), activity });
    return activity;
  }

  /** Of a turn with a call that has no result yet: a later one may bring it. */
  private makeTurnStamp(turn: FoundTurn, isOpen: boolean | undefined): string {
    const last = isOpen ? this.listTurnsAfter(turn).at(-1) : undefined;
    return [turn, last].map((each) => `${each?.endedAt} ${each?.size}`).join(" ");
  }

  private readTurnLines(id: number): StoredLine[] {
    const content = findContentById(this.memory, id);
    return content ? unpackContent<StoredLine>(content) : [];
  }

  private iterateLaterLines(turn: FoundTurn): Iterable<StoredLine[]> {
    const [after, linesOf] = [() => this.listTurnsAfter(turn), (id: number) => this.readTurnLines(id)];
    return {
      *[Symbol.iterator]() {
        for (const { id } of after()) yield linesOf(id);
      },
    };
  }
}

const countLines = ({ writes, runs }: TurnChanges): number =>
  writes.reduce(
    (sum, { hunks }) => sum + hunks.reduce((all, hunk) => all + hunk.lines.length + hunk.removed.length, 0),
    1 + runs.length,
  );

/** A call's result in a later turn is found there as well, without its call. */
function removeRepeatedWrites(writes: readonly Write[]): Write[] {
  const turns = new Map<string, number>();
  for (const { toolUse, turn } of writes) turns.set(toolUse, Math.min(turns.get(toolUse) ?? turn, turn));
  return writes.filter(({ toolUse, turn }) => toolUse === "" || turns.get(toolUse) === turn);
}
