import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import type { Annotation, SessionSummary } from "../../../protocol/operations/sessions.ts";
import { dayOf } from "../../components/time.tsx";

/** Something that happened, at a time. */
export type Happening = { at: string; key: string } & (
  | { kind: "session"; session: SessionSummary; commits: CheckpointSummary[] }
  | { kind: "commit"; commit: CheckpointSummary }
  | { kind: "note"; note: Annotation }
);

interface Listed<T> {
  items: readonly T[];
  total: number;
}

interface Lists {
  sessions: Listed<SessionSummary>;
  commits: Listed<CheckpointSummary>;
  notes: Listed<Annotation>;
}

/**
 * Sessions, commits and notes on one axis, the latest first; a commit stands with the session that wrote most of it, where that
 * is on the axis. It ends where the first of the lists ends: below that, what
 * the others have would look as if nothing else had happened.
 */
export function happenings({ sessions, commits, notes }: Lists): Happening[] {
  const lists: { happened: Happening[]; isCut: boolean }[] = [
    listed(sessions, (session) => {
      const at = session.last_at ?? "";
      return { kind: "session", key: session.id, at, session, commits: [] };
    }),
    listed(commits, (commit) => ({ kind: "commit", key: commit.commit, at: commit.committed_at, commit })),
    listed(notes, (note) => ({ kind: "note", key: note.id, at: note.timestamp, note })),
  ];
  const ends = lists.filter(({ isCut }) => isCut).map(({ happened }) => happened.at(-1)?.at ?? "");
  const end = ends.sort().at(-1) ?? "";
  const all = lists
    .flatMap(({ happened }) => happened)
    .filter(({ at }) => at !== "" && at >= end)
    .sort((a, b) => b.at.localeCompare(a.at));
  return withTheirSessions(all);
}

/** Puts commits to the session that wrote most of their lines. */
function withTheirSessions(all: readonly Happening[]): Happening[] {
  const bySession = new Map(
    all.flatMap((one) => (one.kind === "session" ? [[one.key, one.commits] as const] : [])),
  );
  return all.filter((one) => {
    const led = one.kind === "commit" ? one.commit.sessions[0] : undefined;
    const commits = led && bySession.get(led.session_id);
    if (one.kind === "commit") commits?.push(one.commit);
    return commits === undefined;
  });
}

function listed<T>({ items, total }: Listed<T>, describe: (item: T) => Happening) {
  return { happened: items.map(describe), isCut: total > items.length };
}

/** By day or by branch, in the same order: the branch that was worked on last comes first. */
export function grouped(
  all: readonly Happening[],
  by: "day" | "branch",
): [name: string, happened: Happening[]][] {
  const groups = new Map<string, Happening[]>();
  for (const one of all) {
    const name = by === "day" ? dayOf(one.at) : (branchOf(one) ?? "No branch");
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups];
}

/** Where it happened; null: on no branch that is known. */
export function branchOf(one: Happening): string | null {
  if (one.kind === "session") return one.session.branch;
  return one.kind === "commit" ? one.commit.branch : one.note.branch;
}
