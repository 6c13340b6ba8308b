import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CheckpointSummary } from "../../../protocol/operations/checkpoints.ts";
import { isRunning } from "../../../protocol/reading/running.ts";
import { placeShown } from "../../api/place.ts";
import { LinesBar } from "../../components/badge.tsx";
import { LineCounts } from "../../components/diff.tsx";
import { Icon, type IconName } from "../../components/icon.tsx";
import { Inline } from "../../components/marked.tsx";
import { Time } from "../../components/time.tsx";
import { counted, sessionName } from "../../components/words.ts";
import { commitLink, memoryLink, sessionLink } from "../../router.ts";
import { byDay, type Happening } from "./axis.ts";

/** What is running; then sessions with their commits, other commits, and notes, by day. */
export function Lately({ happened }: { happened: readonly Happening[] }) {
  const seenAt = useSeen();
  const running = happened.filter((one) => one.kind === "session" && isRunning(one.session));
  const others = happened.filter((one) => !running.includes(one));
  const fresh = seenAt === null ? 0 : happened.filter(({ at }) => at > seenAt).length;
  return (
    <>
      {seenAt !== null && fresh > 0 && (
        <p class="count">
          {counted(fresh, "entry", "entries")} since you last looked, <Time at={seenAt} />
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
  return (
    <li class={isFresh ? "happening fresh" : "happening"}>
      <Happened item={item} />
    </li>
  );
}

function Happened({ item }: { item: Happening }) {
  switch (item.kind) {
    case "session": {
      const { id, title, agent, branch, turns, last_at, doing } = item.session;
      return (
        <>
          <Row
            href={sessionLink(id)}
            icon="session"
            kind={`Session of ${agent}`}
            title={sessionName(id, title)}
            branch={branch}
            size={counted(turns, "turn")}
            at={last_at}
            isRunning={isRunning(item.session)}
          />
          {doing != null && <p class="doing">{doing}</p>}
          {item.commits.map((commit) => (
            <CommitRow key={commit.commit} commit={commit} isInSession />
          ))}
        </>
      );
    }
    case "commit":
      return <CommitRow commit={item.commit} />;
    case "note": {
      const { note, session_id, turn, branch, timestamp } = item.note;
      const href = session_id === null ? memoryLink("notes") : sessionLink(session_id, turn);
      return <Row href={href} icon="note" kind="Note" title={note} branch={branch} at={timestamp} />;
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
        <Inline text={title} />
      </span>
      <span class="path lately-branch">{branch}</span>
      <span class="lately-size">{size}</span>
      <span class="lately-bar">{bar}</span>
      <Time at={at} isDayKnown={!runs} />
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
