import type { ComponentChildren } from "preact";
import { project } from "../../../page/api/project.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { FilterChips } from "../../../page/components/chips.tsx";
import { LineCounts } from "../../../page/components/code-lines.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { ResultRow } from "../../../page/components/result-row.tsx";
import { Empty, Failure, Loading } from "../../../page/components/states.tsx";
import { periods, Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { linkTo, linkToCommit, linkToDecision, linkToSession, type ViewProps } from "../../../page/router.ts";
import { labelDecision } from "../../search/found-words.ts";
import { makeAuthorFilter, nothingKnown, readAuthorFilter } from "../../search/view/question.ts";
import { describeOpenEnd } from "../../sessions/session-words.ts";
import type { DigestPart, DigestSession } from "../operation.ts";

/** Entries in each list. */
const entriesPerList = 30;

/** What happened lately: `pm digest`. */
export default function Digest({ query }: ViewProps) {
  const [since = "7 days ago", branch, topic] = ["since", "branch", "topic"].map(
    (name) => query.get(name) ?? undefined,
  );
  const by = query.get("by") === "branch" ? ("branch" as const) : undefined;
  const { author, mine } = readAuthorFilter(query);
  const { data, error, reload } = useAnswer("digest", {
    since,
    branch,
    topic,
    by,
    author,
    mine,
    limit: entriesPerList,
  });
  const parts = data?.parts.filter(
    (part) => part.sessions_total + part.commits_total + part.decisions_total > 0,
  );
  const topics = data?.parts.flatMap((part) => part.topics.map(({ value }) => value)) ?? [];
  const whose = makeAuthorFilter(project.value ?? nothingKnown);
  return (
    <>
      <div class="view-head">
        <h1>Digest</h1>
        <FilterChips
          filters={[
            { name: "since", label: "Last 7 days", values: periods },
            {
              name: "by",
              label: "Together",
              values: [
                ["branch", "By branch"],
                ["all", "Together"],
              ],
            },
            { name: "branch", label: "Any branch", values: project.value?.branches ?? [] },
            { ...whose, values: whose.values.filter(([value]) => value !== "*") },
            { name: "topic", label: "Any topic", values: [...new Set(topics)] },
          ]}
        />
      </div>
      {error && <Failure error={error} onRetry={reload} />}
      {!data && !error && <Loading rows={8} />}
      {parts?.length === 0 && (
        <Empty title="Nothing happened">
          <p>Nothing is recorded of that time.</p>
        </Empty>
      )}
      {parts?.map((part) => (
        <Part key={part.name ?? ""} part={part} isNamed={by !== undefined} />
      ))}
    </>
  );
}

function Part({ part, isNamed }: { part: DigestPart; isNamed: boolean }) {
  const { topics, authors, commits, decisions, tokens } = part;
  return (
    <section class="part">
      {isNamed && <h2>{part.name ?? "No branch"}</h2>}
      {topics.length > 0 && (
        <p>
          About{" "}
          {topics.map(({ value, sessions }, i) => (
            <span key={value}>
              {i > 0 && ", "}
              <a href={linkTo("/sessions", { topic: value })}>{value}</a> ({sessions})
            </span>
          ))}
        </p>
      )}
      {authors.some(({ value }) => value !== "") && (
        <p>By {authors.map(({ value, sessions }) => `${value || "you"} (${sessions})`).join(", ")}</p>
      )}
      <List title="Sessions" total={part.sessions_total}>
        {part.sessions.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            says={session.outcome || session.asked.join(" · ")}
          />
        ))}
      </List>
      <List title="Committed" total={part.commits_total}>
        {commits.map(({ commit, subject, committed_at, insertions, deletions }) => (
          <ResultRow
            key={commit}
            href={linkToCommit(commit)}
            icon="commit"
            kind="Commit"
            title={<Inline text={subject} />}
            meta={
              <>
                <Time at={committed_at} />
                <LineCounts added={insertions} removed={deletions} />
              </>
            }
          />
        ))}
      </List>
      <List title="Decided" total={part.decisions_total}>
        {decisions.map((decision) => (
          <ResultRow
            key={decision.text}
            href={linkToDecision(decision) ?? linkTo("/memory/decisions")}
            icon="decision"
            kind={labelDecision(decision, "person") ?? "Decision"}
            title={<Inline text={decision.text} />}
            meta={decision.timestamp !== null && <Time at={decision.timestamp} />}
          />
        ))}
      </List>
      <List title="Unfinished" total={part.unfinished_total}>
        {part.unfinished.map((session) => (
          <SessionItem
            key={session.id}
            session={session}
            says={session.open || (describeOpenEnd(session) ?? "")}
          />
        ))}
      </List>
      {tokens.length > 0 && (
        <section class="part">
          <h2>Tokens</h2>
          <ul>
            {tokens.map(({ model, input, output, cache_read, cache_write }) => (
              <li key={model}>
                {model}: {compact(input + cache_write)} read, {compact(cache_read)} from the cache,{" "}
                {output === null ? "written: not recorded" : `${compact(output)} written`}
              </li>
            ))}
          </ul>
        </section>
      )}
    </section>
  );
}

function List({ title, total, children }: { title: string; total: number; children: ComponentChildren[] }) {
  if (children.length === 0) return null;
  return (
    <section class="part">
      <h2>{title}</h2>
      <ul class="rows">{children}</ul>
      {total > children.length && (
        <p class="more">and {(total - children.length).toLocaleString("en")} more</p>
      )}
    </section>
  );
}

function SessionItem({ session, says }: { session: DigestSession; says: string }) {
  const { id, title, last_at, author, branch, prompts } = session;
  return (
    <ResultRow
      href={linkToSession(id)}
      icon="session"
      kind="Session"
      title={<Inline text={nameSession(id, title)} />}
      meta={
        <>
          <Time at={last_at} />
          {author != null && <span>{author}</span>}
          {branch !== null && <span class="path branch">{branch}</span>}
          <span>{formatCount(prompts, "prompt")}</span>
        </>
      }
    >
      {says !== "" && (
        <span class="row-text">
          <Inline text={says} />
        </span>
      )}
    </ResultRow>
  );
}

const compact = (count: number) =>
  new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
