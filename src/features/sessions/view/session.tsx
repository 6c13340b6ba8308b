import { SmallButton } from "../../../page/components/layout.tsx";
import { formatSharedBy } from "../../../protocol/origin.ts";
import "./session.css";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../../../page/api/ask.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { CopyButton } from "../../../page/components/code-lines.tsx";
import { ForgetDialog } from "../../../page/components/forget.tsx";
import { Clamped } from "../../../page/components/markdown.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Moment } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import {
  goTo,
  linkTo,
  linkToCommit,
  linkToFile,
  linkToSession,
  type ViewProps,
} from "../../../page/router.ts";
import type { SessionResponse } from "../operation.ts";
import { listBriefLines } from "../session-words.ts";
import { buildMargins, type Margin } from "../turn-words.ts";
import { Outline } from "./outline.tsx";
import { Turn } from "./turn.tsx";
import { markFound, type Turns as ReadTurns, scrollToFound, useTurns } from "./use-turns.ts";

/** As many of each as stand in the margins. */
const marginLimit = 500;

/** A session to read: its turns, with what was noted, decided and committed beside them. */
export default function Session({ rest: id, query }: ViewProps) {
  return <OneSession key={id} id={id} query={query} />;
}

/** Turns of such a number and less are shown from the first one on. */
const nearTurns = 5;

function OneSession({ id, query }: { id: string; query: URLSearchParams }) {
  const { data, error, reload } = useAnswer("session", { id });
  const given = Number.parseInt(query.get("turn") ?? "", 10);
  const turn = Number.isFinite(given) ? given : null;
  const find = query.get("find") ?? "";
  const start = turn === null || turn <= nearTurns ? 0 : turn;
  const [from, setFrom] = useState(start);
  const numbers = useMemo(() => data?.turns.map(({ number }) => number) ?? noNumbers, [data]);
  // Asked for at once, not after what the session is.
  const read = useTurns(id, from, numbers);
  const margins = useMargins(data);
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={8} />;
  const isElsewhere = turn !== null && numbers.includes(turn) && !isRead(read, turn) && read.turns.length > 0;
  return (
    <div class="session">
      <Head found={data} />
      <div class="session-columns">
        <Outline session={data.session.id} turns={data.turns} margins={margins} current={turn} find={find} />
        <Turns
          id={data.session.id}
          read={read}
          margins={margins}
          turn={turn}
          find={find}
          onElsewhere={isElsewhere ? () => setFrom(start) : null}
        />
      </div>
    </div>
  );
}

const noNumbers: readonly number[] = [];

const isRead = ({ turns }: ReadTurns, turn: number) => turns.some(({ number }) => number === turn);

function useMargins(found: SessionResponse | null): ReadonlyMap<number, Margin> {
  const session = found?.session.id;
  const span = {
    since: found?.session.started_at ?? undefined,
    until: found?.session.last_at ?? undefined,
    limit: marginLimit,
  };
  const commits = useAnswer(
    "checkpoints",
    session === undefined ? null : { session, surviving: true, limit: marginLimit },
  );
  const decisions = useAnswer("decisions", session === undefined ? null : span);
  return useMemo(
    () =>
      buildMargins(session ?? "", {
        notes: found?.annotations ?? [],
        decisions: decisions.data?.decisions ?? [],
        commits: commits.data?.checkpoints ?? [],
      }),
    [found, commits.data, decisions.data],
  );
}

function Head({ found: { session, brief, summary, files, agents, resume } }: { found: SessionResponse }) {
  const {
    id,
    title,
    agent,
    author,
    branch,
    started_at,
    last_at,
    turns,
    models,
    tokens,
    parent_id,
    agent_type,
  } = session;
  const [isForgetting, setForgetting] = useState(false);
  const changed = files.filter(({ how }) => how !== "read");
  return (
    <header class="session-head">
      <h1>
        <Inline text={nameSession(id, title)} />
      </h1>
      <p class="row-meta">
        <Badge tone="agent">{agent_type === null ? agent : `${agent}: ${agent_type}`}</Badge>
        {author != null && <Badge>{formatSharedBy(author)}</Badge>}
        <Moment at={started_at} />
        <span>{formatSessionLength(started_at, last_at)}</span>
        {branch !== null && <span class="path">{branch}</span>}
        <span>{formatCount(turns, "turn")}</span>
        <span>{models.join(", ")}</span>
        <span title="Tokens written by the model">
          {tokens.output === null ? "tokens not recorded" : formatCount(tokens.output, "token")}
        </span>
        {parent_id !== null && <a href={linkToSession(parent_id)}>Part of another session</a>}
        <SmallButton onClick={() => setForgetting(true)}>Forget…</SmallButton>
      </p>
      {brief.rejected !== null && (
        <p>
          <Badge tone="warning">Tried and rejected</Badge> {brief.rejected}
        </p>
      )}
      <dl class="session-brief" aria-label="In brief">
        {listBriefLines(brief).map(({ title, says }) => (
          <div key={title}>
            <dt>{title}</dt>
            <dd>{typeof says === "string" ? <Inline text={says} /> : <Commits commits={says} />}</dd>
          </div>
        ))}
      </dl>
      {resume !== null && (
        <p class="resume">
          Resume it with <code>{resume}</code>
          <CopyButton label="Copy" text={() => resume} />
          {" or hand it over with "}
          <code>{`pm session handoff ${id.slice(0, 8)} --to AGENT`}</code>
          <CopyButton label="Copy the handoff" text={async () => (await ask("handoff", { id })).text} />
        </p>
      )}
      {isForgetting && (
        <ForgetDialog
          what={{ session: id }}
          onClose={() => setForgetting(false)}
          onForgotten={() => goTo(linkTo("/sessions"))}
        />
      )}
      {summary !== null && (
        <details class="summary">
          <summary>{nameSummary(summary)}</summary>
          <Clamped text={summary.text} lines={18} />
        </details>
      )}
      {changed.length > 0 && (
        <details class="summary">
          <summary>{formatCount(changed.length, "file")} changed</summary>
          <ul>
            {changed.map(({ path }) => (
              <li key={path}>
                <a class="path" href={linkToFile(path)}>
                  {path}
                </a>
              </li>
            ))}
          </ul>
        </details>
      )}
      {agents.length > 0 && (
        <details class="summary">
          <summary>{formatCount(agents.length, "subagent")}</summary>
          <ul>
            {agents.map((one) => (
              <li key={one}>
                <a href={linkToSession(one)}>{one.split("/").at(-1)}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </header>
  );
}

function Commits({ commits }: { commits: SessionResponse["brief"]["commits"] }) {
  return (
    <>
      {commits.map(({ hash, subject }) => (
        <a key={hash} href={linkToCommit(hash)}>
          <Inline text={subject} />
        </a>
      ))}
    </>
  );
}

/** What a whole summary is called. */
function nameSummary({ source, model }: NonNullable<SessionResponse["summary"]>): string {
  if (source === "compaction") return "The agent's own summary";
  return source === "llm" ? `Summary by ${model ?? "a model"}` : "Summary";
}

/** "for 2 h 5 min". */
function formatSessionLength(from: string | null, to: string | null): string {
  if (from === null || to === null) return "";
  const minutes = Math.round((Date.parse(to) - Date.parse(from)) / 60_000);
  if (minutes < 60) return `for ${Math.max(1, minutes)} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `for ${hours} h ${minutes % 60} min` : `over ${Math.round(hours / 24)} days`;
}

/** Who reads the end of a session that goes on stays at its end, as in a log. */
function useFollowing(turns: unknown): void {
  const isAtEnd = useRef(false);
  useEffect(() => {
    const onScroll = () => {
      const { scrollHeight } = document.documentElement;
      isAtEnd.current = scrollY > 0 && scrollY + innerHeight > scrollHeight - 80;
    };
    addEventListener("scroll", onScroll, { passive: true });
    return () => removeEventListener("scroll", onScroll);
  }, []);
  useEffect(() => {
    if (isAtEnd.current) scrollTo({ top: document.documentElement.scrollHeight });
  }, [turns]);
}

interface TurnsProps {
  id: string;
  read: ReadTurns;
  margins: ReadonlyMap<number, Margin>;
  /** The turn that the address names. */
  turn: number | null;
  /** The text that it looks for; "": none. */
  find: string;
  /** Reads on from there; null: the turn is here, or nowhere. */
  onElsewhere: (() => void) | null;
}

function Turns({ id, read, margins, turn, find, onElsewhere }: TurnsProps) {
  const { turns, error, hasMore, isLoading, loadMore, loadEarlier, loadWhole, retry } = read;
  const here = turns.find(({ number }) => number === turn);
  const isHere = turn === null || here !== undefined;
  /** The turn that was loaded without omissions to find the text. */
  const whole = useRef<number | null>(null);
  useEffect(() => onElsewhere?.(), [onElsewhere === null, turn]);
  useEffect(() => {
    if (turn === null || !isHere) return;
    const target = document.getElementById(`turn-${turn}`);
    if (target === null || (find !== "" && scrollToFound(target, find))) return;
    target.scrollIntoView({ block: "start" });
    // Long outputs come without their middle.
    if (find !== "" && here?.entries.some(({ omitted }) => omitted > 0) && whole.current !== turn) {
      whole.current = turn;
      loadWhole(turn);
    }
  }, [turn, isHere, find, here]);

  const list = useRef<HTMLDivElement>(null);
  useEffect(() => {
    markFound(list.current, find);
    return () => markFound(null, "");
  }, [turns, find]);

  useFollowing(turns);

  const end = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (end.current === null || !hasMore) return;
    const seen = new IntersectionObserver(([entry]) => entry?.isIntersecting && loadMore(), {
      rootMargin: "800px",
    });
    seen.observe(end.current);
    return () => seen.disconnect();
  }, [hasMore, isLoading, turns]);

  return (
    <div class="turns" ref={list}>
      {loadEarlier && (
        <button type="button" onClick={loadEarlier}>
          Show earlier turns
        </button>
      )}
      {turns.map((one) => (
        <Turn
          key={one.number}
          session={id}
          turn={one}
          margin={margins.get(one.number)}
          onWhole={() => loadWhole(one.number)}
        />
      ))}
      {error && <Failure error={error} onRetry={retry} />}
      {isLoading && <Loading rows={3} />}
      <div ref={end} />
    </div>
  );
}
