import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { shortenHash } from "../../../base/text/short-hash.ts";
import { placeShown } from "../../../page/api/place.ts";
import type { InProject } from "../../../page/api/use-answer.ts";
import { LinesBar } from "../../../page/components/badge.tsx";
import { LineCounts } from "../../../page/components/code-lines.tsx";
import { Icon, type IconName } from "../../../page/components/icon.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { ProjectName } from "../../../page/components/project-name.tsx";
import { formatDay, Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { linkInto, linkToCommit, linkToMemory, linkToSession } from "../../../page/router.ts";
import { labelNote } from "../../../protocol/origin.ts";
import { isRunning } from "../../../protocol/reading/running.ts";
import type { CheckpointSummary } from "../../checkpoints/operation.ts";
import type { Note } from "../../notes/operation.ts";
import type { SessionSummary } from "../../sessions/operation.ts";

/** Something that happened, at a time. */
export type Happening = { at: string; key: string } & (
  | { kind: "session"; session: InProject<SessionSummary>; commits: InProject<CheckpointSummary>[] }
  | { kind: "commit"; commit: InProject<CheckpointSummary> }
  | { kind: "note"; note: Note }
);

interface Listed<T> {
  items: readonly T[];
  total: number;
}

interface Lists {
  sessions: Listed<InProject<SessionSummary>>;
  commits: Listed<InProject<CheckpointSummary>>;
  notes: Listed<Note>;
}

/**
 * Sessions, commits and notes on one axis, the latest first; a commit stands with the session that wrote most of it, where that
 * is on the axis. It ends where the first of the lists ends: below that, what
 * the others have would look as if nothing else had happened.
 */
export function mergeHappenings({ sessions, commits, notes }: Lists): Happening[] {
  const lists: { happened: Happening[]; isCut: boolean }[] = [
    toHappenings(sessions, (session) => {
      const at = session.last_at ?? "";
      return { kind: "session", key: session.id, at, session, commits: [] };
    }),
    toHappenings(commits, (commit) => ({
      kind: "commit",
      key: commit.commit,
      at: commit.committed_at,
      commit,
    })),
    toHappenings(notes, (note) => ({ kind: "note", key: note.id, at: note.timestamp, note })),
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

function toHappenings<T>({ items, total }: Listed<T>, describe: (item: T) => Happening) {
  return { happened: items.map(describe), isCut: total > items.length };
}

/** By day or by branch, in the same order: the branch that was worked on last comes first. */
export function groupHappenings(
  all: readonly Happening[],
  by: "day" | "branch",
): [name: string, happened: Happening[]][] {
  const groups = new Map<string, Happening[]>();
  for (const one of all) {
    const name = by === "day" ? formatDay(one.at) : (getHappeningBranch(one) ?? "No branch");
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return [...groups];
}

/** Where it happened; null: on no branch that is known. */
export function getHappeningBranch(one: Happening): string | null {
  if (one.kind === "session") return one.session.branch;
  return one.kind === "commit" ? one.commit.branch : one.note.branch;
}

interface LatelyProps {
  happened: readonly Happening[];
  by: "day" | "branch";
}

/** Sessions with their commits, other commits, and notes, by day or by branch. */
export function Lately({ happened, by }: LatelyProps) {
  const seenAt = useSeen();
  const others = happened.filter((one) => one.kind !== "session" || !isRunning(one.session));
  const fresh = seenAt === null ? 0 : happened.filter(({ at }) => at > seenAt).length;
  return (
    <>
      {seenAt !== null && fresh > 0 && (
        <p class="count">
          {formatCount(fresh, "entry", "entries")} since you last looked, <Time at={seenAt} />
        </p>
      )}
      {groupHappenings(others, by).map(([name, items]) => (
        <section key={name} class="day">
          <h2 class={by === "branch" ? "path" : undefined}>{name}</h2>
          <ul class="lately">
            {items.map((item) => (
              <li
                key={item.key}
                class={seenAt !== null && item.at > seenAt ? "happening fresh" : "happening"}
              >
                <Happened item={item} under={by} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

interface ItemProps {
  item: Happening;
  /** What the heading above it says already. */
  under: LatelyProps["by"];
}

function Happened({ item, under }: ItemProps) {
  switch (item.kind) {
    case "session": {
      const { id, title, agent, branch, turns, last_at, project } = item.session;
      return (
        <>
          <Row
            href={linkInto(project, linkToSession(id))}
            icon="session"
            project={project}
            kind={`Session of ${agent}`}
            title={nameSession(id, title)}
            branch={branch}
            size={formatCount(turns, "turn")}
            at={last_at}
            under={under}
          />
          {item.commits.map((commit) => (
            <CommitRow key={commit.commit} commit={commit} under={under} isInSession />
          ))}
        </>
      );
    }
    case "commit":
      return <CommitRow commit={item.commit} under={under} />;
    case "note": {
      const { note, session_id, turn, branch, timestamp, source, author } = item.note;
      const kind = labelNote({ source, author }, "person");
      const href = session_id === null ? linkToMemory("notes") : linkToSession(session_id, turn);
      return (
        <Row href={href} icon="note" kind={kind} title={note} branch={branch} at={timestamp} under={under} />
      );
    }
  }
}

interface CommitRowProps extends Pick<ItemProps, "under"> {
  commit: InProject<CheckpointSummary>;
  isInSession?: boolean;
}

function CommitRow({ commit, under, isInSession = false }: CommitRowProps) {
  const { commit: hash, subject, branch, committed_at, insertions, deletions, lines, project } = commit;
  return (
    <Row
      href={linkInto(project, linkToCommit(hash))}
      icon="commit"
      project={isInSession ? undefined : project}
      kind={`Commit ${shortenHash(hash)}`}
      title={subject}
      branch={isInSession ? null : branch}
      size={<LineCounts added={insertions} removed={deletions} />}
      bar={<LinesBar lines={lines} />}
      at={committed_at}
      under={under}
      isInSession={isInSession}
    />
  );
}

interface RowProps extends Pick<ItemProps, "under"> {
  href: string;
  icon: IconName;
  kind: string;
  /** The root of its project, where it is listed with those of others. */
  project?: string | undefined;
  title: string;
  branch: string | null;
  size?: ComponentChildren;
  bar?: ComponentChildren;
  at: string | null;
  isInSession?: boolean;
}

/** A line in fixed columns. */
function Row({ href, icon, kind, project, title, branch, size, bar, at, under, ...more }: RowProps) {
  return (
    <a data-row href={href} class={more.isInSession ? "lately-row inner" : "lately-row"} title={title}>
      <span class="row-icon" title={kind}>
        <Icon name={icon} />
      </span>
      <span class="lately-title">
        <ProjectName root={project} /> <Inline text={title} />
      </span>
      {under !== "branch" && <span class="path lately-branch">{branch}</span>}
      <span class="lately-size">{size}</span>
      <span class="lately-bar">{bar}</span>
      <Time at={at} isDayKnown={under === "day"} />
    </a>
  );
}

/** Whoever comes back sooner has not been away. Milliseconds. */
const awayMs = 20 * 60_000;

/** When the reader looked at the project last, before this time; null: never, or just now. ISO 8601. */
function useSeen(): string | null {
  const key = `pommel.seen ${placeShown() ?? ""}`;
  const [seen] = useState(() => localStorage.getItem(key));
  useEffect(() => {
    const leave = () => localStorage.setItem(key, new Date().toISOString());
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, []);
  return seen !== null && Date.now() - Date.parse(seen) > awayMs ? seen : null;
}
