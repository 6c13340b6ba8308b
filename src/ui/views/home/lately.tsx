import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import type { Annotation } from "../../../protocol/operations/sessions.ts";
import { Badge, LinesBar } from "../../components/badge.tsx";
import { LineCounts } from "../../components/diff.tsx";
import { ResultRow } from "../../components/result-row.tsx";
import { Time } from "../../components/time.tsx";
import { commitLink, sessionLink } from "../../router.ts";
import { SessionRow } from "../sessions/session-row.tsx";
import { byDay, type Happening } from "./axis.ts";

/** Sessions, commits and notes by day. */
export function Lately({ happened }: { happened: readonly Happening[] }) {
  return (
    <>
      {byDay(happened).map(([day, items]) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ul class="rows">
            {items.map((item) => (
              <Item key={item.key} item={item} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Item({ item }: { item: Happening }) {
  switch (item.kind) {
    case "session":
      return <SessionRow session={item.session} isDayKnown />;
    case "commit":
      return <CommitRow commit={item.commit} />;
    case "note":
      return <NoteRow note={item.note} />;
  }
}

function CommitRow({ commit }: { commit: CheckpointSummary }) {
  const { commit: hash, subject, branch, committed_at, insertions, deletions, lines, sessions } = commit;
  const agents = [...new Set(sessions.flatMap(({ agent }) => agent ?? []))];
  return (
    <ResultRow
      href={commitLink(hash)}
      icon="commit"
      kind="Commit"
      title={subject}
      aside={agents.map((agent) => (
        <Badge key={agent} tone="agent">
          {agent}
        </Badge>
      ))}
      meta={
        <>
          <Time at={committed_at} isDayKnown />
          <span class="path">{hash.slice(0, 8)}</span>
          {branch !== null && <span class="path branch">{branch}</span>}
          <LineCounts added={insertions} removed={deletions} />
          <LinesBar lines={lines} />
        </>
      }
    />
  );
}

function NoteRow({ note }: { note: Annotation }) {
  const { note: text, session_id, turn, timestamp, branch } = note;
  return (
    <ResultRow
      href={session_id === null ? "#/" : sessionLink(session_id, turn)}
      icon="note"
      kind="Note"
      title={text}
      aside={<Badge tone="human">note</Badge>}
      meta={
        <>
          <Time at={timestamp} isDayKnown />
          {branch !== null && <span class="path branch">{branch}</span>}
        </>
      }
    />
  );
}
