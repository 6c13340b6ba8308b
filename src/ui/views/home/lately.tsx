import type { ComponentChildren } from "preact";
import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import { LinesBar } from "../../components/badge.tsx";
import { LineCounts } from "../../components/diff.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { WithCode } from "../../components/marked.tsx";
import { Time } from "../../components/time.tsx";
import { counted } from "../../components/words.ts";
import { commitLink, sessionLink } from "../../router.ts";
import { isRunning } from "../sessions/running.ts";
import { byDay, type Happening } from "./axis.ts";

interface LatelyProps {
  happened: readonly Happening[];
  /** When the reader looked last, ISO 8601; null: never, or not long enough ago. */
  seenAt: string | null;
}

/** What is running; then sessions with their commits, other commits, and notes, by day. */
export function Lately({ happened, seenAt }: LatelyProps) {
  const running = happened.filter((one) => one.kind === "session" && isRunning(one.session));
  const others = happened.filter((one) => !running.includes(one));
  const fresh = seenAt === null ? 0 : happened.filter(({ at }) => at > seenAt).length;
  return (
    <>
      {seenAt !== null && fresh > 0 && (
        <p class="count">
          {counted(fresh, "entry").replace("entrys", "entries")} since you last looked, <Time at={seenAt} />
        </p>
      )}
      {running.length > 0 && (
        <section class="day">
          <h2>Running now</h2>
          <ul class="lately">
            {running.map((item) => (
              <Item key={item.key} item={item} isFresh={false} />
            ))}
          </ul>
        </section>
      )}
      {byDay(others).map(([day, items]) => (
        <section key={day} class="day">
          <h2>{day}</h2>
          <ul class="lately">
            {items.map((item) => (
              <Item key={item.key} item={item} isFresh={seenAt !== null && item.at > seenAt} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Item({ item, isFresh }: { item: Happening; isFresh: boolean }) {
  switch (item.kind) {
    case "session": {
      const { id, title, agent, branch, turns, last_at } = item.session;
      return (
        <li class={isFresh ? "happening fresh" : "happening"}>
          <Row
            href={sessionLink(id)}
            icon="session"
            kind={`Session of ${agent}`}
            title={title ?? `Session ${id.slice(0, 8)}`}
            branch={branch}
            size={counted(turns, "turn")}
            at={last_at}
            isRunning={isRunning(item.session)}
          />
          {item.commits.map((commit) => (
            <CommitRow key={commit.commit} commit={commit} isInSession />
          ))}
        </li>
      );
    }
    case "commit":
      return (
        <li class={isFresh ? "happening fresh" : "happening"}>
          <CommitRow commit={item.commit} />
        </li>
      );
    case "note": {
      const { note, session_id, turn, branch, timestamp } = item.note;
      const href = session_id === null ? "#/memory/notes" : sessionLink(session_id, turn);
      return (
        <li class={isFresh ? "happening fresh" : "happening"}>
          <Row href={href} icon="note" kind="Note" title={note} branch={branch} at={timestamp} />
        </li>
      );
    }
  }
}

function CommitRow({ commit, isInSession = false }: { commit: CheckpointSummary; isInSession?: boolean }) {
  const { commit: hash, subject, branch, committed_at, insertions, deletions, lines } = commit;
  return (
    <Row
      href={commitLink(hash)}
      icon="commit"
      kind={`Commit ${hash.slice(0, 8)}`}
      title={subject}
      branch={isInSession ? null : branch}
      size={<LineCounts added={insertions} removed={deletions} />}
      bar={<LinesBar lines={lines} />}
      at={committed_at}
      isInSession={isInSession}
    />
  );
}

interface RowProps {
  href: string;
  icon: IconName;
  kind: string;
  title: string;
  branch: string | null;
  size?: ComponentChildren;
  bar?: ComponentChildren;
  at: string | null;
  isRunning?: boolean;
  isInSession?: boolean;
}

/** A line in fixed columns. */
function Row({
  href,
  icon,
  kind,
  title,
  branch,
  size,
  bar,
  at,
  isRunning: runs = false,
  isInSession = false,
}: RowProps) {
  return (
    <a data-row href={href} class={isInSession ? "lately-row inner" : "lately-row"} title={title}>
      <span class="row-icon" title={kind}>
        {runs ? <span class="running" role="img" aria-label="Running" /> : <Icon name={icon} />}
      </span>
      <span class="lately-title">
        <WithCode text={title} />
      </span>
      <span class="path lately-branch">{branch}</span>
      <span class="lately-size">{size}</span>
      <span class="lately-bar">{bar}</span>
      <Time at={at} isDayKnown={!runs} />
    </a>
  );
}
