import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount, momentOf, nameSession } from "../../../page/components/words.ts";
import { linkTo, linkToFile, linkToMemory, linkToSession } from "../../../page/router.ts";
import type { Injected, InjectedUse } from "../operation.ts";

const maxListed = 200;

/** The automatic context that agents were given: when, what, and why. */
export function Given({ query }: { query: URLSearchParams }) {
  const session = query.get("session") || undefined;
  const { data, error, reload } = useAnswer("injections", { session, limit: maxListed });
  const status = useAnswer("status", {});
  const context = status.data?.memory.context;
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading />;
  return (
    <>
      <p class="summary">
        {context && (
          <>
            Automatic context is {context.mode}. In 30 days: {formatCount(context.injections_30d, "time")},{" "}
            {formatCount(context.tokens_30d, "token")}
            {context.missed_30d > 0 && `, ${context.missed_30d} too late`}.{" "}
          </>
        )}
        {session !== undefined && <a href={linkToMemory("given")}>Show all sessions</a>}
      </p>
      {data.injections.length === 0 && (
        <Empty title="Nothing was given to agents yet">
          <p>Most prompts get none: only what clearly continues past work does.</p>
          <p>
            <Inline text='`pm session context "a prompt"` shows what a prompt would get.' />
          </p>
        </Empty>
      )}
      <ul class="rows" hidden={data.injections.length === 0}>
        {data.injections.map((injection) => (
          <Injection key={`${injection.session_id} ${injection.at}`} injection={injection} />
        ))}
      </ul>
    </>
  );
}

function Injection({ injection }: { injection: Injected }) {
  const { session_id, session_title, event, at, reason, tokens, took_ms, items } = injection;
  return (
    <li class="row given">
      <p class="row-head">
        <a class="row-title" data-row href={linkToSession(session_id)}>
          {nameSession(session_id, session_title)}
        </a>
        <Badge>{momentOf[event]}</Badge>
      </p>
      <p class="row-meta">
        <Time at={at} />
        <span>{reason}</span>
        <span>{formatCount(tokens, "token")}</span>
        <span>{Math.round(took_ms)} ms</span>
        <a href={linkTo("/memory/given", { session: session_id })}>Only this session</a>
      </p>
      <ul class="given-items">
        {items.map(({ ref, why, score, about, use }) => (
          <li key={ref}>
            <Reference to={ref} text={about ?? "(forgotten since)"} />{" "}
            <span class="faint">
              {why}
              {score !== null && `, ${Math.round(score * 100)} %`}
            </span>{" "}
            {use && <Use of={use} session={session_id} />}
          </li>
        ))}
      </ul>
    </li>
  );
}

const useNames = { used: "used", not_used: "not used", unknown: "use unknown" } as const;
const useTones = { used: "good", not_used: "warning", unknown: "unknown" } as const;

/** Whether the agent used it, with the turn that did. */
function Use({ of: { outcome, reason, turn }, session }: { of: InjectedUse; session: string }) {
  const badge = (
    <Badge tone={useTones[outcome]} title={reason}>
      {useNames[outcome]}
    </Badge>
  );
  if (outcome !== "used") return badge;
  return (
    <>
      {badge}{" "}
      {turn === null ? (
        <span class="faint">{reason}</span>
      ) : (
        <a class="faint" href={linkToSession(session, turn)}>
          {reason}
        </a>
      )}
    </>
  );
}

/** Something quoted, with a link where the page can show it. */
function Reference({ to, text }: { to: string; text: string }) {
  const [, kind = "", name = ""] = /^(\w+):(.*)$/s.exec(to) ?? [];
  const href = linkToItem(kind, name);
  const shown = <Inline text={text} />;
  return href === null ? <span>{shown}</span> : <a href={href}>{shown}</a>;
}

function linkToItem(kind: string, name: string): string | null {
  switch (kind) {
    case "session":
      return linkToSession(name.replace(/:files$/, ""));
    case "event":
      return linkToMemory("events", name);
    case "file":
      return linkToFile(name);
    case "code":
      return linkToFile(name.replace(/#.*$/, ""));
    default:
      return null;
  }
}
