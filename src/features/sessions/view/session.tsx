import { formatDuration } from "../../../base/text/duration.ts";
import { SmallButton } from "../../../page/components/layout.tsx";
import { formatSharedBy } from "../../../protocol/origin.ts";
import { nameTurnInTitle } from "../../../protocol/reading/names.ts";
import "./session.css";
import { useMemo, useState } from "preact/hooks";
import { ask } from "../../../page/api/ask.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge } from "../../../page/components/badge.tsx";
import { Tabs } from "../../../page/components/chips.tsx";
import { CopyButton } from "../../../page/components/code-lines.tsx";
import { ForgetDialog } from "../../../page/components/forget.tsx";
import { Clamped } from "../../../page/components/markdown.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading, useTogether } from "../../../page/components/states.tsx";
import { Moment } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import {
  goTo,
  linkTo,
  linkToCommit,
  linkToFile,
  linkToSession,
  route,
  type ViewProps,
} from "../../../page/router.ts";
import { shortenSessionId } from "../../../protocol/reading/short-id.ts";
import { formatCost } from "../../cost/amount-words.ts";
import type { CostAnswer } from "../../cost/operation.ts";
import { describeBasis } from "../../cost/words.ts";
import { changedSessionParts } from "../../page-parts.ts";
import type { SessionResponse } from "../operation.ts";
import { describeTokens, listBriefLines } from "../session-words.ts";
import { buildMargins, type Margin } from "../turn-words.ts";
import { type Density, densities, findDensity } from "./density.ts";
import { Reader, useTurnCosts } from "./reader.tsx";

/** As many of each as stand in the margins. */
const marginLimit = 500;

/** A session to read: its turns, with what was noted, decided and committed beside them. */
export default function Session({ rest: id, query }: ViewProps) {
  return <OneSession key={id} id={id} query={query} />;
}

function OneSession({ id, query }: { id: string; query: URLSearchParams }) {
  const { data, error, reload } = useAnswer("session", { id });
  const margins = useMargins(data);
  useTurnCosts(id);
  const early = useTogether() ?? "";
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={8} />;
  return (
    <div class={`session ${early}`}>
      <Head found={data} density={findDensity(query.get("as"))} />
      <Reader found={data} margins={margins} query={query} />
    </div>
  );
}

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

interface HeadProps {
  found: SessionResponse;
  density: Density;
}

function Head({ found: { session, brief, summary, files, agents, resume }, density }: HeadProps) {
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
  const cost = useTurnCosts(id);
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
        <span title={models.join(", ")}>{describeTokens(tokens)}</span>
        {cost && <span title={describeBasis(cost).join(" ")}>{formatCost(cost.total)}</span>}
        {parent_id !== null && <a href={linkToSession(parent_id)}>Started by another session</a>}
        <a href={linkTo(`/compare/${encodeURIComponent(id)}`)}>Compare…</a>
        <SmallButton onClick={() => setForgetting(true)}>Forget…</SmallButton>
      </p>
      {cost && <Dearest session={id} rows={cost.rows} />}
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
          <code>{`pm session handoff ${shortenSessionId(id)} --to AGENT`}</code>
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
      <div class="session-folds">
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
        {changed.length > 0 &&
          Object.entries(changedSessionParts).map(([feature, Part]) => <Part key={feature} session={id} />)}
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
      </div>
      <Tabs
        label="How much is shown"
        tabs={densities.map(([name, label]) => ({
          href: linkTo(route.value.path, { ...Object.fromEntries(route.value.query), as: name }),
          label,
          isCurrent: name === density,
        }))}
      />
    </header>
  );
}

/** Turns that are named for what they cost. */
const maxDearest = 3;

/** The prompts that cost most, of a session of several. */
function Dearest({ session, rows }: { session: string; rows: CostAnswer["rows"] }) {
  if (rows.length <= maxDearest) return null;
  return (
    <p class="row-meta">
      <span>Most expensive prompts:</span>
      {rows
        .toSorted((a, b) => b.dollars - a.dollars)
        .slice(0, maxDearest)
        .map((row) => (
          <a key={row.name} href={linkToSession(session, Number(row.name))}>
            {nameTurnInTitle(Number(row.name))}, {formatCost(row)}
          </a>
        ))}
    </p>
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

/** "for 2h 5m". */
export function formatSessionLength(from: string | null, to: string | null): string {
  if (from === null || to === null) return "";
  const minutes = Math.max(1, Math.round((Date.parse(to) - Date.parse(from)) / 60_000));
  return `for ${formatDuration(minutes * 60_000)}`;
}
