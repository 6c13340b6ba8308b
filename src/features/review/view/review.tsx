import { shortenHash } from "../../../base/text/short-hash.ts";
import { wordSharesByAuthor } from "../../../protocol/reading/authors.ts";
import { labelDecision } from "../../decisions/words.ts";
import "./review.css";
import { Fragment } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { isEverywhere } from "../../../page/api/place.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { Badge, LinesBar } from "../../../page/components/badge.tsx";
import { Tabs } from "../../../page/components/chips.tsx";
import { CopyButton, LineCounts } from "../../../page/components/code-lines.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Empty, Failure, Loading, Notes } from "../../../page/components/states.tsx";
import { Moment, Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { useKeys } from "../../../page/keys.ts";
import {
  goTo,
  linkTo,
  linkToCommit,
  linkToDecision,
  linkToFile,
  linkToMemory,
  linkToSession,
  route,
  type ViewProps,
} from "../../../page/router.ts";
import { directoryParts, reviewedSessionParts } from "../../page-parts.ts";
import type { ReviewAnswer, ReviewCommit, ReviewFile, ReviewSession } from "../operation.ts";
import {
  describeDecisionFate,
  describeTie,
  fileOrderWords,
  groupByPrompt,
  notLookedAtYet,
  orderFiles,
  turnsToShow,
  wordNoSession,
} from "../review-words.ts";
import { FileDiff, makeFileAnchor } from "./file-diff.tsx";
import { RemarksBar, useRemarks } from "./remarks.tsx";

const storedWidth = "pommel.review.width";

/** An answer that is there sooner is worth waiting for: nothing is drawn twice. Milliseconds. */
const patienceMs = 300;

/** Whether it was so for longer than that. */
function useIsLate(isSo: boolean): boolean {
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    if (!isSo) return;
    const timer = setTimeout(() => setLate(true), patienceMs);
    return () => clearTimeout(timer);
  }, [isSo]);
  return isLate;
}

/** A commit, a branch, or what is not committed: each line with who wrote it, and the prompt that led to it. */
export default function Review(props: ViewProps) {
  return isEverywhere() && props.rest === "" ? (
    <CommitsOfAll />
  ) : (
    <ReviewedRange key={props.rest} {...props} />
  );
}

/** Commits of all projects. */
const CommitsOfAll = () => (
  <div class="review">
    <h1>Commits of all projects</h1>
    {Object.entries(directoryParts).map(([name, Part]) => (
      <Part key={name} path="" />
    ))}
  </div>
);

function ReviewedRange({ rest: range, query }: ViewProps) {
  const request = range === "" ? {} : { range };
  // Who wrote the lines of a large merge takes seconds to find; its lines do not, unless both are asked for at once.
  const lines = useAnswer("review", { ...request, lines_only: true }, range === "" ? {} : { asOf: range });
  const whole = useAnswer("review", lines.data === null ? null : request);
  const isLate = useIsLate(lines.data !== null);
  const error = lines.error ?? whole.error;
  const reload = () => {
    lines.reload();
    whole.reload();
  };
  const data = whole.data ?? (isLate ? lines.data : null);
  const [as, by] = [query.get("as") ?? undefined, query.get("by") ?? undefined];
  const isSplit = as === "split";
  const isByPrompt = by === "prompt";
  const [isWide, setWide] = useState(() => localStorage.getItem(storedWidth) !== null);
  const fold = () => {
    setWide(!isWide);
    if (isWide) localStorage.removeItem(storedWidth);
    else localStorage.setItem(storedWidth, "wide");
  };
  useKeys({ "\\": fold });
  const ordered = useFiles(data);
  const groups = useMemo(
    (): ReturnType<typeof groupByPrompt> =>
      data === null ? [] : isByPrompt && !data.lines_only ? groupByPrompt(data) : [{ files: ordered }],
    [data, isByPrompt, ordered],
  );
  const { remarks, begin, below, clear } = useRemarks();
  if (error?.code === "not_found") {
    return (
      <Empty title="Not in this repository">
        <p>
          git knows no <code>{range}</code> here. <a href={linkTo("/search", { q: range })}>Search for it</a>
        </p>
      </Empty>
    );
  }
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={8} />;
  const { path } = route.value;
  return (
    <div class={isWide ? "review wide" : "review"}>
      <Head of={data} range={range} />
      {data.files.length === 0 ? (
        <Nothing of={data} />
      ) : (
        <div class="review-columns">
          {!isWide && (
            <aside>
              {data.lines_only ? <p class="faint">{notLookedAtYet}</p> : <Sessions of={data} />}
              <About of={data} />
              <Files of={data} files={ordered} />
            </aside>
          )}
          <div class="files">
            <div class="files-head">
              <SmallButton onClick={fold}>{isWide ? "Show sessions and files" : "Diff only"}</SmallButton>
              {data.files.length > 1 && !isByPrompt && !data.lines_only && (
                <p class="faint">{fileOrderWords}</p>
              )}
              <RemarksBar remarks={remarks} onSaved={clear} />
              <Tabs
                label="Order"
                tabs={[
                  { label: "By file", href: linkTo(path, { as }), isCurrent: !isByPrompt },
                  { label: "By prompt", href: linkTo(path, { as, by: "prompt" }), isCurrent: isByPrompt },
                ]}
              />
              <Tabs
                label="Layout"
                tabs={[
                  { label: "Unified", href: linkTo(path, { by }), isCurrent: !isSplit },
                  { label: "Side by side", href: linkTo(path, { by, as: "split" }), isCurrent: isSplit },
                ]}
              />
            </div>
            {groups.map(({ title, files }) => (
              <Fragment key={title}>
                {title !== undefined && (
                  <h2 class="prompt-head">
                    <Inline text={title} />
                  </h2>
                )}
                {files.map((file) => (
                  <FileDiff
                    key={`${file.path} ${file.status}`}
                    file={file}
                    of={data}
                    isSplit={isSplit}
                    onLine={begin}
                    below={below}
                  />
                ))}
              </Fragment>
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

/**
 * In the order in which they are to be looked at. What is being read when their authors become known stays where it is: the files
 * then keep the order in which they were shown first.
 */
function useFiles(data: ReviewAnswer | null): ReviewFile[] {
  const first = useRef<string[] | null>(null);
  return useMemo(() => {
    if (data === null) return [];
    const files = orderFiles(data);
    if (data.lines_only) first.current = files.map(({ path }) => path);
    else if (scrollY === 0) first.current = null;
    const order = first.current;
    return order === null ? files : files.sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  }, [data]);
}

function Nothing({ of: { kind, merge } }: { of: ReviewAnswer }) {
  if (kind === "uncommitted") {
    return (
      <>
        <p class="faint">Nothing is uncommitted. Enter a commit or a range above, or choose one here:</p>
        {Object.entries(directoryParts).map(([name, Part]) => (
          <Part key={name} path={""} />
        ))}
      </>
    );
  }
  return (
    <p class="faint">
      {merge === null ? "No file changed." : "This merge brought nothing that was not there before."}
    </p>
  );
}

function Head({ of, range }: { of: ReviewAnswer; range: string }) {
  const { kind, commits, merge, insertions, deletions, lines, files, notes, commits_total } = of;
  const only = merge ?? (kind === "commit" ? commits[0] : undefined);
  return (
    <header>
      <h1>{only ? <Inline text={only.subject} /> : kind === "range" ? range : "Uncommitted changes"}</h1>
      {kind === "uncommitted" && <RangeBox />}
      {only && only.body !== "" && <p class="commit-body">{only.body}</p>}
      {only && <Facts of={only} />}
      <p class="row-meta">
        {kind === "range" && <span>{formatCount(commits_total, "commit")}</span>}
        {files.length > 0 && <span>{formatCount(files.length, "file")}</span>}
        <LineCounts added={insertions} removed={deletions} />
        <LinesBar lines={lines} />
        {!of.lines_only && <span>{wordSharesByAuthor(lines)}</span>}
      </p>
      <Notes of={notes} />
    </header>
  );
}

/** Something else to review. */
function RangeBox() {
  return (
    <form
      class="chips"
      onSubmit={(event) => {
        event.preventDefault();
        const wanted = String(new FormData(event.currentTarget).get("range")).trim();
        if (wanted !== "") goTo(linkTo(`/review/${encodeURIComponent(wanted)}`));
      }}
    >
      <input
        class="chip ask"
        name="range"
        aria-label="A commit or a range"
        placeholder="A commit, or main..branch"
        spellcheck={false}
      />
      <button type="submit" class="chip">
        Review
      </button>
    </form>
  );
}

function Facts({ of }: { of: ReviewCommit }) {
  const { hash, parents, author, committed_at, branch, rewritten_as } = of;
  return (
    <p class="row-meta">
      <span>{author}</span>
      <Moment at={committed_at} />
      <span class="path">
        {shortenHash(hash)} <CopyButton label="Copy" text={() => hash} />
      </span>
      {branch !== null && <span class="path">{branch}</span>}
      {parents.map((parent) => (
        <span key={parent}>
          parent{" "}
          <a class="path" href={linkToCommit(parent)}>
            {shortenHash(parent)}
          </a>
        </span>
      ))}
      {rewritten_as.map((later) => (
        <a key={later} href={linkToCommit(later)}>
          <Badge tone="warning">rewritten as {shortenHash(later)}</Badge>
        </a>
      ))}
    </p>
  );
}

/** Turns that are shown of a session; the others are in it. */
const turnsShown = 8;

function Sessions({ of }: { of: ReviewAnswer }) {
  const { sessions } = of;
  if (sessions.length === 0) return <p class="faint">{wordNoSession(of)}</p>;
  return (
    <section aria-label="Sessions">
      <h2>{sessions.length === 1 ? "The session that led to it" : "Sessions that led to it"}</h2>
      {sessions.map((session) => (
        <SessionBlock key={session.session_id} of={session} />
      ))}
    </section>
  );
}

function SessionBlock({ of }: { of: ReviewSession }) {
  const { session_id, title, agent, lines, turns } = of;
  const { shown, more } = turnsToShow(turns, turnsShown);
  const tie = describeTie(of);
  return (
    <div class="review-session">
      <a class="row-title" href={linkToSession(session_id, shown[0]?.turn)}>
        <Inline text={nameSession(session_id, title)} />
      </a>
      <p class="row-meta">
        {agent !== null && <span class="who agent">{agent}</span>}
        <span>{formatCount(lines, "line")}</span>
        {tie !== "" && <span>{tie}</span>}
      </p>
      {Object.entries(reviewedSessionParts).map(([feature, Part]) => (
        <Part key={feature} session={session_id} />
      ))}
      <ol>
        {shown.map(({ turn, prompt, started_at, lines: count }) => (
          <li key={turn}>
            <a href={linkToSession(session_id, turn)} title={prompt ?? undefined}>
              <span class="prompt-line">{prompt === null ? `Turn ${turn}` : <Inline text={prompt} />}</span>
              <span class="row-meta">
                <Time at={started_at} />
                {count > 0 && <span>{formatCount(count, "line")}</span>}
              </span>
            </a>
          </li>
        ))}
      </ol>
      {more > 0 && (
        <a class="faint" href={linkToSession(session_id)}>
          {formatCount(more, "more turn")}
        </a>
      )}
    </div>
  );
}

/** What was decided about the files, and the tests around them. */
function About({ of: { decisions, tests } }: { of: ReviewAnswer }) {
  return (
    <>
      {decisions.length > 0 && (
        <section aria-label="Decisions">
          <h2>Decided about these files</h2>
          <ul class="items">
            {decisions.map((decision) => (
              <li key={`${decision.place} ${decision.text}`}>
                <a href={linkToDecision(decision) ?? linkToMemory()}>
                  <Inline text={decision.text} />{" "}
                  <span class="row-meta">
                    <span>{labelDecision(decision, "person")?.replace(":", "")}</span>
                    <Time at={decision.timestamp} />
                    {describeDecisionFate(decision).map((fate) => (
                      <Badge key={fate} tone={decision.lines_removed > 0 ? "bad" : "plain"}>
                        {fate}
                      </Badge>
                    ))}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {tests.length > 0 && (
        <section aria-label="Tests">
          <h2>Related tests that are unchanged</h2>
          <ul class="file-list">
            {tests.map((path) => (
              <li key={path}>
                <a href={linkToFile(path)} title={path}>
                  <Path of={path} />
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Files({ of: { commits, kind }, files }: { of: ReviewAnswer; files: readonly ReviewFile[] }) {
  return (
    <>
      {kind === "range" && commits.length > 0 && (
        <section aria-label="Commits">
          <h2>{formatCount(commits.length, "commit")}</h2>
          <ul class="file-list">
            {commits.map(({ hash, subject, committed_at }) => (
              <li key={hash}>
                <a href={linkToCommit(hash)} title={hash}>
                  <Inline text={subject} />
                </a>
                <Time at={committed_at} />
              </li>
            ))}
          </ul>
        </section>
      )}
      {files.length > 1 && (
        <section aria-label="Files">
          <h2>{formatCount(files.length, "file")}</h2>
          <ul class="file-list">
            {files.map(({ path, insertions, deletions }) => (
              <li key={path}>
                <button
                  type="button"
                  class="quiet"
                  title={path}
                  onClick={() =>
                    document.getElementById(makeFileAnchor(path))?.scrollIntoView({ block: "start" })
                  }
                >
                  <Path of={path} />
                </button>
                <LineCounts added={insertions} removed={deletions} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

/** A path in a narrow place: its end says most. */
function Path({ of }: { of: string }) {
  const end = of.lastIndexOf("/") + 1;
  return (
    <span class="path narrow-path">
      <span class="faint">{of.slice(0, end)}</span>
      {of.slice(end)}
    </span>
  );
}
