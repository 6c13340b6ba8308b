import { shortenHash } from "../../../base/text/short-hash.ts";
import { AbandonedBadge, Badge, Freshness } from "../../../page/components/badge.tsx";
import { CodeLines } from "../../../page/components/code-lines.tsx";
import { Inline, Marked } from "../../../page/components/marked.tsx";
import { ResultRow } from "../../../page/components/result-row.tsx";
import { Time } from "../../../page/components/time.tsx";
import { formatCount, nameSession } from "../../../page/components/words.ts";
import { labelWords } from "../../../protocol/origin.ts";
import { wordLed } from "../../../protocol/reading/evidence.ts";
import { shownOfMatch } from "../../../protocol/reading/shown-of-match.ts";
import { parseSnippet } from "../../../protocol/reading/statements.ts";
import type { CodeResult, CommitFound, EventFound, SessionResult } from "../../../protocol/results.ts";
import { chooseExcerpt, nameResultType } from "../found-words.ts";
import type { PageHit } from "./hits.ts";

interface HitRowProps<T> {
  href: string;
  result: T;
  words: readonly string[];
}

export function HitRow({ hit, words }: { hit: PageHit; words: readonly string[] }) {
  switch (hit.kind) {
    case "code":
      return <CodeRow href={hit.href} result={hit.result} words={words} />;
    case "session":
      return <SessionHitRow href={hit.href} result={hit.result} words={words} />;
    case "commit":
      return <CommitHitRow href={hit.href} result={hit.result} words={words} />;
    case "event":
      return <EventHitRow href={hit.href} result={hit.result} words={words} />;
  }
}

/** What is said and done in a passage, without marks that only a renderer needs. */
function Snippet({ of, words }: { of: string; words: readonly string[] }) {
  if (of === "") return null;
  return (
    <span class="row-text snippet">
      {parseSnippet(of).map(({ speaker, text }, i) => (
        <span key={i}>
          {speaker !== "" && <b>{speaker} </b>}
          <Inline text={text} words={words} />{" "}
        </span>
      ))}
    </span>
  );
}

function CodeRow({ href, result, words }: HitRowProps<CodeResult>) {
  const { file, start_line: line, end_line: last, name, kind, level, content, places, also_in } = result;
  return (
    <ResultRow
      href={href}
      icon="code"
      kind="Code"
      title={<Marked text={name || file.split("/").at(-1)!} words={words} />}
      aside={<Freshness of={result.freshness} />}
      meta={
        <>
          <span class="path">
            {file}:{line}
            {last > line && `–${last}`}
          </span>
          <span>{kind || level}</span>
          <Reasons of={result.match_reasons} />
        </>
      }
      place={{ path: file, line: result.match_lines?.[0] ?? line }}
    >
      <CodeLines text={content} firstLine={line} words={words} maxLines={shownOfMatch.rowLines} />
      {places.length > 0 && (
        <span class="row-text">
          also {places.map(({ name, start_line }) => `${name} :${start_line}`).join(", ")}
        </span>
      )}
      {also_in.length > 0 && <span class="row-text">also in {also_in.join(", ")}</span>}
    </ResultRow>
  );
}

function SessionHitRow({ href, result, words }: HitRowProps<SessionResult>) {
  const {
    session_title: title,
    session_id,
    agent,
    author,
    branch,
    turn,
    last_turn,
    timestamp,
    commits,
    more_turns,
  } = result;
  const [commit] = commits;
  return (
    <ResultRow
      href={href}
      icon={result.annotation === null ? "session" : "note"}
      kind={
        result.annotation === null
          ? "Session"
          : labelWords("note", { by: result.note_by ?? "tool", author }, "person")
      }
      title={<Inline text={nameSession(session_id, title)} words={words} />}
      aside={
        <>
          {author != null && <Badge>{author}</Badge>}
          <Freshness of={result.freshness} />
          {result.rejected !== null && (
            <Badge tone="warning" title={result.rejected}>
              rejected
            </Badge>
          )}
          {result.abandoned && <AbandonedBadge />}
        </>
      }
      meta={
        <>
          {last_turn > 0 && (
            <span>
              turn {Math.max(turn, 1)}
              {more_turns > 0 && ` and ${more_turns.toLocaleString("en")} more`}
            </span>
          )}
          <span>{agent}</span>
          {nameResultType(result) !== "" && <span>{nameResultType(result)}</span>}
          <Time at={timestamp} />
          {branch !== null && <span class="path">{branch}</span>}
          {commit && (
            <span>
              {wordLed(commit)} “{commit.subject}”{commit.reverted_by !== null && ", reverted since"}
            </span>
          )}
          <Reasons of={result.match_reasons} />
        </>
      }
    >
      <Snippet of={chooseExcerpt(result)} words={words} />
    </ResultRow>
  );
}

function CommitHitRow({ href, result, words }: HitRowProps<CommitFound>) {
  const { id, title, timestamp, author, files, sessions, reach, reverted_by, snippet } = result;
  return (
    <ResultRow
      href={href}
      icon="commit"
      kind="Commit"
      title={<Inline text={title} words={words} />}
      aside={
        <>
          {sessions.length > 0 && <Badge tone="agent">{formatCount(sessions.length, "session")}</Badge>}
          {reverted_by !== null && <Badge tone="bad">reverted</Badge>}
          {reach === "elsewhere" && <Badge tone="warning">on another branch</Badge>}
          {reach === "gone" && <Badge tone="bad">gone</Badge>}
        </>
      }
      meta={
        <>
          <Time at={timestamp} />
          <span class="path">{shortenHash(id)}</span>
          <span>{author}</span>
          {files.length > 0 && <span class="path">{files.slice(0, 2).join(", ")}</span>}
          <Reasons of={result.match_reasons} />
        </>
      }
    >
      <Snippet of={snippet} words={words} />
    </ResultRow>
  );
}

function EventHitRow({ href, result, words }: HitRowProps<EventFound>) {
  const { title, timestamp, type, status, sessions, checkpoints, snippet } = result;
  return (
    <ResultRow
      href={href}
      icon="timeline"
      kind="Event"
      title={<Inline text={title} words={words} />}
      aside={
        <>
          <Badge>{type}</Badge>
          <Badge>{status}</Badge>
        </>
      }
      meta={
        <>
          <Time at={timestamp} />
          <span>
            {formatCount(sessions, "session")}, {formatCount(checkpoints, "commit")}
          </span>
          <Reasons of={result.match_reasons} />
        </>
      }
    >
      <Snippet of={snippet} words={words} />
    </ResultRow>
  );
}

/** Why a result is there. */
function Reasons({ of: reasons }: { of: readonly string[] }) {
  return reasons.length === 0 ? null : <span>{reasons.join(", ")}</span>;
}
