import { useAnswer } from "../../../page/api/use-answer.ts";
import { authorNames, Badge, type Tone } from "../../../page/components/badge.tsx";
import { Preformatted } from "../../../page/components/code-lines.tsx";
import { Markdown } from "../../../page/components/markdown.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading, Notes } from "../../../page/components/states.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkToCommit, linkToFile, linkToSession } from "../../../page/router.ts";
import type { LineAuthor } from "../../../protocol/line-author.ts";
import { formatSharedBy } from "../../../protocol/origin.ts";
import { describeLineEvidence } from "../../../protocol/reading/evidence.ts";
import type { NearDecision, Origin, WhyAnswer } from "../operation.ts";
import { freshnessWords, wordSurvival } from "../words.ts";

/** Why a line is there: prompt, decision, commit, earlier versions and what happened since. */
export function Why({ file, line, rev }: { file: string; line: number; rev: string | undefined }) {
  const { data, error, reload } = useAnswer("why", { file, first_line: line, rev });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={3} />;
  const { origins, decisions, earlier, later, freshness, notes } = data;
  return (
    <div class="why">
      <h2>Why line {line} is there</h2>
      <State of={freshness} />
      {origins.map((origin) => (
        <OriginOf
          key={`${origin.commit?.hash} ${origin.lines[0]?.[0]}`}
          origin={origin}
          file={file}
          line={line}
        />
      ))}
      {decisions.length > 0 && <Decisions title="Decided near it" decisions={decisions} />}
      {earlier.length > 0 && (
        <section>
          <h3>Before</h3>
          {earlier.map(({ how, text, written_by, commit, prompt }, i) => (
            <div key={i} class="why-part">
              <p class="row-meta">
                <span>{how}</span> <Author of={written_by} /> <Time at={commit?.authored_at ?? null} />
              </p>
              <Preformatted class="call-text">{text.join("\n")}</Preformatted>
              {prompt !== null && <p class="faint">“{prompt}”</p>}
              {commit && <a href={linkToCommit(commit.hash)}>{commit.subject}</a>}
            </div>
          ))}
        </section>
      )}
      {later !== null && later.commits > 0 && (
        <section>
          <h3>The file since: {formatCount(later.commits, "commit")}</h3>
          {later.latest.map(({ hash, subject, authored_at, by_agent }) => (
            <p key={hash} class="row-meta">
              <a href={linkToCommit(hash)}>{subject}</a> <Time at={authored_at} />
              {by_agent === true && <Badge tone="agent">agent</Badge>}
            </p>
          ))}
        </section>
      )}
      <Notes of={notes} />
    </div>
  );
}

const tones: Readonly<Record<WhyAnswer["freshness"]["state"], Tone>> = {
  stands: "good",
  reconsidered: "warning",
  reverted: "bad",
  elsewhere: "warning",
  gone: "bad",
  uncommitted: "plain",
  unknown: "unknown",
};

function State({ of }: { of: WhyAnswer["freshness"] }) {
  const { state, later_decisions } = of;
  const survival = wordSurvival(of);
  return (
    <>
      <p class="row-meta">
        <Badge tone={tones[state]}>{freshnessWords[state]}</Badge>
        {survival !== null && <span>{survival}</span>}
      </p>
      {later_decisions.length > 0 && <Decisions title="Decided since" decisions={later_decisions} />}
    </>
  );
}

function Author({ of }: { of: LineAuthor }) {
  const { author, agent, model } = of;
  return (
    <Badge
      tone={author === "before_agents" ? "plain" : author}
      title={[model, describeLineEvidence(of)].filter(Boolean).join(", ")}
    >
      {author === "agent" ? (agent ?? "agent") : author === "human" ? "a person" : authorNames[author]}
    </Badge>
  );
}

function OriginOf({ origin, file, line }: { origin: Origin; file: string; line: number }) {
  const { written_by, commit, turn } = origin;
  return (
    <section class="why-part">
      <p class="row-meta">
        <Author of={written_by} />
        <Time at={commit?.authored_at ?? turn?.started_at ?? null} />
        {commit && <span>{commit.person}</span>}
        {turn?.author != null && <span>session {formatSharedBy(turn.author)}</span>}
      </p>
      {turn !== null && (
        <>
          {turn.prompt !== "" && (
            <div class="said prompt">
              <Markdown text={turn.prompt} />
            </div>
          )}
          {turn.said_before !== "" && <Markdown text={turn.said_before} />}
          {turn.said_after !== "" && turn.said_after !== turn.said_before && (
            <Markdown text={turn.said_after} />
          )}
          <p>
            <a href={linkToSession(turn.session_id, turn.number)}>
              Read turn {turn.number} of {written_by.session_title ?? "the session"}
            </a>
          </p>
        </>
      )}
      {commit !== null && (
        <p>
          <a href={linkToCommit(commit.hash)}>{commit.subject}</a>{" "}
          <span class="path">{commit.hash.slice(0, 8)}</span>
        </p>
      )}
      {commit !== null && !commit.is_boundary && (
        <p>
          <a href={`${linkToFile(file, line)}?rev=${commit.hash}^`}>The file before this commit</a>
        </p>
      )}
    </section>
  );
}

function Decisions({ title, decisions }: { title: string; decisions: readonly NearDecision[] }) {
  return (
    <section>
      <h3>{title}</h3>
      {decisions.map(({ text, session_id, turn, timestamp, place }) => (
        <p key={text} class="why-part">
          <Inline text={text} />{" "}
          <span class="row-meta">
            <Time at={timestamp} />
            {session_id === null ? (
              place !== null && <span class="path">{place}</span>
            ) : (
              <a href={linkToSession(session_id, turn)}>read it</a>
            )}
          </span>
        </p>
      ))}
    </section>
  );
}
