import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../../../page/api/ask.ts";
import { Badge, LinesBar } from "../../../page/components/badge.tsx";
import { LineCounts } from "../../../page/components/code-lines.tsx";
import { Hunks } from "../../../page/components/diff.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkToFile, linkToSession } from "../../../page/router.ts";
import type { LineAuthor } from "../../../protocol/line-author.ts";
import type { ReviewAnswer, ReviewFile, ReviewHunk, ReviewLine } from "../operation.ts";
import { describeRisks, statusNames } from "../review-words.ts";
import { isViewed, keepViewed, makeViewedMark } from "./viewed.ts";

/** Files with more changed lines are closed at first. */
const manyLines = 600;

interface FileDiffProps {
  file: ReviewFile;
  of: ReviewAnswer;
  isSplit: boolean;
  onLine: (path: string, line: { number: number; text: string }) => void;
  /** Remarks on a line of the file. */
  below: (path: string, line: number) => ComponentChildren;
}

/** What a change did to a file, by who wrote it. */
export function FileDiff({ file, of, isSplit, onLine, below }: FileDiffProps) {
  const { path, old_path, status, insertions, deletions, lines, hunks, lines_left_out } = file;
  const mark = useMemo(() => makeViewedMark(file), [file]);
  const [wasViewed, setViewed] = useState(() => isViewed(mark));
  const [isOpen, setOpen] = useState(!wasViewed && insertions + deletions <= manyLines);
  const place = useRef<HTMLElement>(null);
  const isNear = useNear(place);
  const isGone = status === "D";
  return (
    <section ref={place} class="file-diff" id={makeFileAnchor(path)}>
      <header>
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          aria-label={isOpen ? `Fold ${path}` : `Open ${path}`}
          onClick={() => setOpen(!isOpen)}
        />
        <h3 class="path">
          {isGone ? path : <a href={linkToFile(path)}>{path}</a>}
          {old_path !== null && old_path !== path && <span class="faint"> from {old_path}</span>}
        </h3>
        <span class="row-meta">
          {describeRisks(of, file).map((risk) => (
            <Badge key={risk} tone="warning">
              {risk}
            </Badge>
          ))}
          {statusNames[status] && <span>{statusNames[status]}</span>}
          <LineCounts added={insertions} removed={deletions} />
          <LinesBar lines={lines} />
          <label>
            <input
              type="checkbox"
              checked={wasViewed}
              onChange={({ currentTarget: { checked } }) => {
                keepViewed(mark, checked);
                setViewed(checked);
                setOpen(!checked);
              }}
            />{" "}
            Viewed<span class="hidden"> {path}</span>
          </label>
        </span>
      </header>
      {isOpen && hunks.length === 0 && (
        <p class="faint nothing">No lines to show: binary, or only its mode changed.</p>
      )}
      {isOpen && hunks.length > 0 && isNear && (
        <FileHunks file={file} of={of} isSplit={isSplit} onLine={onLine} below={below} />
      )}
      {isOpen && !isNear && (
        <div style={{ height: `${(insertions + deletions + 6 * hunks.length) * 20}px` }} />
      )}
      {isOpen && lines_left_out > 0 && (
        <p class="faint nothing">
          {formatCount(lines_left_out, "more changed line")} left out here; <code>git show</code> or{" "}
          <code>git diff</code> shows them all.
        </p>
      )}
    </section>
  );
}

export const makeFileAnchor = (path: string) => `file ${path}`;

/** Whether an element is, or once was, in sight or close to it. */
function useNear(place: { current: HTMLElement | null }): boolean {
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { rootMargin: "1200px" },
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return isNear;
}

/** Lines that are fetched at once. */
const fetchedLines = 20;

const countAfter = ({ lines }: ReviewHunk) => lines.filter(({ mark }) => mark !== "-").length;

/** The hunks, with what lies between them on request. */
function FileHunks({ file: { path, status, hunks }, of, isSplit, onLine, below }: FileDiffProps) {
  const [shown, setShown] = useState(hunks);
  const [error, setError] = useState("");
  useEffect(() => setShown(hunks), [hunks]);
  const findNextLine = (at: number) => (at < 0 ? 1 : shown[at]!.new_start + countAfter(shown[at]!));
  const fetchLines = async (at: number, first: number, last: number) => {
    const asked = { file: path, first_line: first, last_line: last, texts: true };
    try {
      const { lines } = await ask("blame", of.to === null ? asked : { ...asked, rev: of.to });
      const around = (lines ?? []).map(({ text }): ReviewLine => ({ mark: " ", text, by: null }));
      const isBelow = at === shown.length;
      const changed = isBelow ? at - 1 : at;
      setShown(
        shown.map((hunk, i) => {
          if (i !== changed) return hunk;
          if (isBelow) return { ...hunk, lines: [...hunk.lines, ...around] };
          const back = around.length;
          return {
            old_start: hunk.old_start - back,
            new_start: hunk.new_start - back,
            lines: [...around, ...hunk.lines],
          };
        }),
      );
    } catch {
      setError("There is no more.");
    }
  };
  const above = (at: number) => {
    if (status === "A" || status === "D") return null;
    const from = findNextLine(at - 1);
    const isBelow = at === shown.length;
    const to = isBelow ? from + fetchedLines - 1 : shown[at]!.new_start - 1;
    if (to < from || (isBelow && error !== "")) return null;
    const first = Math.max(from, to - fetchedLines + 1);
    return (
      <p class="between">
        <SmallButton onClick={() => void fetchLines(at, first, to)}>
          {isBelow
            ? `Show ${fetchedLines} more lines`
            : first > from
              ? `Show ${fetchedLines} of ${formatCount(to - from + 1, "line")} above`
              : `Show ${formatCount(to - from + 1, "line")} above`}
        </SmallButton>
      </p>
    );
  };
  return (
    <Hunks
      path={path}
      hunks={shown}
      isSplit={isSplit}
      authorOf={(by) => of.authors[by]?.author}
      noteOf={(by, rows) => <Note author={of.authors[by]!} of={of} rows={rows} />}
      above={above}
      below={(line) => below(path, line)}
      onLine={({ after, text }) => onLine(path, { number: after!, text })}
    />
  );
}

/** Who wrote lines, and for which prompt. */
function Note({ author, of, rows }: { author: LineAuthor; of: ReviewAnswer; rows: number }) {
  const { session_id, turn } = author;
  const session = of.sessions.find((one) => one.session_id === session_id);
  const prompt = session?.turns.find((one) => one.turn === turn)?.prompt ?? null;
  const who = <span class={`who ${author.author}`}>{nameAuthor(author)}</span>;
  if (session_id === null) return <p class="note">{who}</p>;
  return (
    <p class="note" style={{ WebkitLineClamp: Math.max(1, Math.min(rows, 6)) }}>
      <a href={linkToSession(session_id, turn)} title={prompt ?? author.session_title ?? undefined}>
        {who} {prompt === null ? (author.session_title ?? "") : <Inline text={prompt} />}
      </a>
    </p>
  );
}

function nameAuthor({ author, agent }: LineAuthor): string {
  if (author === "agent") return agent ?? "an agent";
  if (author === "human") return "a person";
  return author === "before_agents" ? "before agents" : "author unknown";
}
