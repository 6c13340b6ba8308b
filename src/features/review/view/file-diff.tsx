import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { LinesBar } from "../../../page/components/badge.tsx";
import { LineCounts } from "../../../page/components/code-lines.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkToFile, linkToSession } from "../../../page/router.ts";
import type { LineAuthor } from "../../../protocol/line-author.ts";
import type { ReviewAnswer, ReviewFile, ReviewHunk } from "../operation.ts";
import { statusNames } from "../review-words.ts";
import {
  type DiffLine,
  highlightPieces,
  type Piece,
  pairLines,
  type Segment,
  splitIntoSegments,
  useParser,
  withStretches,
} from "./segments.ts";

/** Files with more changed lines are closed at first. */
const manyLines = 600;

interface FileDiffProps {
  file: ReviewFile;
  of: ReviewAnswer;
  isSplit: boolean;
}

/** What a change did to a file, by who wrote it. */
export function FileDiff({ file, of, isSplit }: FileDiffProps) {
  const { path, old_path, status, insertions, deletions, lines, hunks, lines_left_out } = file;
  const [isOpen, setOpen] = useState(insertions + deletions <= manyLines);
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
          {statusNames[status] && <span>{statusNames[status]}</span>}
          <LineCounts added={insertions} removed={deletions} />
          <LinesBar lines={lines} />
        </span>
      </header>
      {isOpen && hunks.length === 0 && (
        <p class="faint nothing">No lines to show: binary, or only its mode changed.</p>
      )}
      {isOpen && hunks.length > 0 && isNear && <Hunks path={path} hunks={hunks} of={of} isSplit={isSplit} />}
      {isOpen && !isNear && (
        <div style={{ height: `${(insertions + deletions + 6 * hunks.length) * 20}px` }} />
      )}
      {isOpen && lines_left_out > 0 && (
        <p class="faint nothing">{formatCount(lines_left_out, "changed line")} more: git shows them all.</p>
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

function Hunks({
  path,
  hunks,
  of,
  isSplit,
}: { path: string; hunks: readonly ReviewHunk[] } & Omit<FileDiffProps, "file">) {
  const parser = useParser(path);
  const drawn = useMemo(() => hunks.map(splitIntoSegments), [hunks]);
  const pieces = useMemo(
    () =>
      drawn.map((segments) =>
        colourLines(
          segments.flatMap(({ lines }) => lines),
          parser,
        ),
      ),
    [drawn, parser],
  );
  let known: number | null = null;
  return (
    <div class={isSplit ? "hunks split" : "hunks"}>
      {drawn.map((segments, i) => (
        <div key={i} class="hunk">
          {segments.map((segment, j) => {
            const isNew = segment.by !== null && segment.by !== known;
            if (segment.by !== null) known = segment.by;
            return (
              <SegmentRow
                key={j}
                segment={segment}
                pieces={pieces[i]!}
                of={of}
                isSplit={isSplit}
                isNoted={isNew}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

/** The colours of each side are found on their own, as each is code. */
function colourLines(
  lines: readonly DiffLine[],
  parser: Parameters<typeof highlightPieces>[1],
): Map<DiffLine, Piece[]> {
  const pieces = new Map<DiffLine, Piece[]>();
  for (const side of [lines.filter(({ mark }) => mark !== "+"), lines.filter(({ mark }) => mark !== "-")]) {
    const found = highlightPieces(
      side.map(({ text }) => text.replace(/\r$/, "")),
      parser,
    );
    side.forEach((line, i) => {
      pieces.set(line, found[i] ?? []);
    });
  }
  return pieces;
}

interface SegmentProps {
  segment: Segment;
  pieces: ReadonlyMap<DiffLine, Piece[]>;
  of: ReviewAnswer;
  isSplit: boolean;
  /** Whether it says who wrote it: where the author changes. */
  isNoted: boolean;
}

function SegmentRow({ segment: { by, lines }, pieces, of, isSplit, isNoted }: SegmentProps) {
  const author = by === null ? null : (of.authors[by] ?? null);
  const draw = (line: DiffLine | null, side: "before" | "after" | "both") => (
    <Line line={line} side={side} pieces={line === null ? [] : (pieces.get(line) ?? [])} />
  );
  return (
    <div class={`segment ${author?.author ?? ""}`}>
      <div class="lines">
        {isSplit
          ? pairLines(lines).map(([old, now], i) => (
              <div key={i} class="pair">
                {draw(old, "before")}
                {draw(now, "after")}
              </div>
            ))
          : lines.map((line, i) => <div key={i}>{draw(line, "both")}</div>)}
      </div>
      {author !== null && isNoted && <Note author={author} of={of} rows={lines.length} />}
    </div>
  );
}

const kinds = { "+": "added", "-": "removed", " ": "" } as const;

function Line({
  line,
  side,
  pieces,
}: {
  line: DiffLine | null;
  side: "before" | "after" | "both";
  pieces: readonly Piece[];
}) {
  if (line === null) return <div class="line absent" />;
  return (
    <div class={`line ${kinds[line.mark]}`}>
      {side !== "after" && <span class="number" data-number={line.before ?? ""} />}
      {side !== "before" && <span class="number" data-number={line.after ?? ""} />}
      <span class="mark" data-mark={line.mark} />
      <code class="text">
        {withStretches(pieces, line.changed).map(({ text, style, isChanged }, i) =>
          style === "" && !isChanged ? (
            text
          ) : (
            <span key={i} class={isChanged ? `${style} changed` : style}>
              {text}
            </span>
          ),
        )}
        {"\n"}
      </code>
    </div>
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
