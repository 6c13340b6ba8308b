import "../styles/diff.css";
import "../styles/syntax.css";
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
  type DiffHunk,
  type DiffLine,
  type DiffSegment,
  pairLines,
  parseDiff,
  reverseHunk,
  splitIntoSegments,
  useParser,
  withStretches,
} from "./diff-lines.ts";
import { type ColouredPiece, highlightPieces } from "./highlight.ts";
import { formatCount } from "./words.ts";

interface DiffOptions {
  isSplit?: boolean;
  /** Who wrote lines, by their number, as the name of a class. */
  authorOf?: (by: number) => string | undefined;
  /** What is said beside lines where their author changes. */
  noteOf?: (by: number, rows: number) => ComponentChildren;
  /** Below a line after the change. */
  below?: (line: number) => ComponentChildren;
  /** The number of a line after the change was chosen. */
  onLine?: ((line: DiffLine) => void) | undefined;
}

interface HunksProps extends DiffOptions {
  /** The file, whose language they are in. */
  path: string;
  hunks: readonly DiffHunk[];
  /** What stands above a hunk; behind the last one, by their count. */
  above?: (at: number) => ComponentChildren;
}

/** The hunks of a file's change, with colours and numbers, and what of a line differs from the one before. */
export function Hunks({ path, hunks, above, ...drawing }: HunksProps) {
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
    <div class={drawing.isSplit ? "hunks split" : "hunks"}>
      {drawn.map((segments, i) => (
        <div key={i} class="hunk">
          {above?.(i)}
          {segments.map((segment, j) => {
            const isNew = segment.by !== null && segment.by !== known;
            if (segment.by !== null) known = segment.by;
            return (
              <SegmentRow key={j} segment={segment} pieces={pieces[i]!} drawing={drawing} isNoted={isNew} />
            );
          })}
        </div>
      ))}
      {above?.(drawn.length)}
    </div>
  );
}

/** Lines of a unified diff; the rest of a long one comes on request. */
export function Diff({
  path,
  lines,
  shown = 40,
  isReversed = false,
}: {
  path: string;
  lines: readonly string[];
  shown?: number;
  /** What they take back is shown. */
  isReversed?: boolean;
}) {
  const [isWhole, setWhole] = useState(lines.length <= shown * 1.5);
  const hunks = useMemo(() => {
    const parsed = parseDiff(isWhole ? lines : lines.slice(0, shown));
    return isReversed ? parsed.map(reverseHunk) : parsed;
  }, [lines, isWhole, shown]);
  return (
    <div class="diff">
      <Hunks path={path} hunks={hunks} />
      {!isWhole && (
        <button type="button" class="quiet" onClick={() => setWhole(true)}>
          Show {formatCount(lines.length - shown, "more line")}
        </button>
      )}
    </div>
  );
}

/** The colours of each side are found on their own, as each is code. */
function colourLines(
  lines: readonly DiffLine[],
  parser: Parameters<typeof highlightPieces>[1],
): Map<DiffLine, ColouredPiece[]> {
  const pieces = new Map<DiffLine, ColouredPiece[]>();
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
  segment: DiffSegment;
  pieces: ReadonlyMap<DiffLine, ColouredPiece[]>;
  drawing: DiffOptions;
  isNoted: boolean;
}

function SegmentRow({ segment: { by, lines }, pieces, drawing, isNoted }: SegmentProps) {
  const { isSplit, authorOf, noteOf, below, onLine } = drawing;
  const draw = (line: DiffLine | null, side: "before" | "after" | "both") => (
    <Line line={line} side={side} pieces={line === null ? [] : (pieces.get(line) ?? [])} onLine={onLine} />
  );
  const after = (line: DiffLine | null) => (line?.after == null ? null : below?.(line.after));
  return (
    <div class={`segment ${by === null ? "" : (authorOf?.(by) ?? "")}${noteOf ? " noted" : ""}`}>
      <div class="lines">
        {isSplit
          ? pairLines(lines).map(([old, now], i) => (
              <div key={i}>
                <div class="pair">
                  {draw(old, "before")}
                  {draw(now, "after")}
                </div>
                {after(now)}
              </div>
            ))
          : lines.map((line, i) => (
              <div key={i}>
                {draw(line, "both")}
                {after(line)}
              </div>
            ))}
      </div>
      {by !== null && isNoted && noteOf?.(by, lines.length)}
    </div>
  );
}

const kinds = { "+": "added", "-": "removed", " ": "" } as const;

interface LineProps {
  line: DiffLine | null;
  side: "before" | "after" | "both";
  pieces: readonly ColouredPiece[];
  onLine: ((line: DiffLine) => void) | undefined;
}

function Line({ line, side, pieces, onLine }: LineProps) {
  if (line === null) return <div class="line absent" />;
  const { before, after, mark, changed } = line;
  const isNumbered = before !== null || after !== null;
  return (
    <div class={`line ${kinds[mark]}`}>
      {isNumbered && side !== "after" && <span class="number" data-number={before ?? ""} />}
      {isNumbered &&
        side !== "before" &&
        (onLine && after !== null ? (
          <button
            type="button"
            class="number"
            data-number={after}
            aria-label={`Remark on line ${after}`}
            onClick={() => onLine(line)}
          />
        ) : (
          <span class="number" data-number={after ?? ""} />
        ))}
      <span class="mark" data-mark={mark} />
      <code class="text">
        {withStretches(pieces, changed).map(({ text, style, isChanged }, i) =>
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
