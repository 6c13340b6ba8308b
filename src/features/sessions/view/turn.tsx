import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { shortenHash } from "../../../base/text/short-hash.ts";
import { useAnswer } from "../../../page/api/use-answer.ts";
import { AbandonedBadge, Badge } from "../../../page/components/badge.tsx";
import { CopyButton, Preformatted } from "../../../page/components/code-lines.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Clamped, Markdown } from "../../../page/components/markdown.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { formatDay, Moment, Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkToCommit, linkToSession } from "../../../page/router.ts";
import { wordLinesByAuthor } from "../../../protocol/reading/authors.ts";
import { nameTurnInTitle } from "../../../protocol/reading/names.ts";
import { labelSuperseded } from "../../decisions/words.ts";
import { turnParts } from "../../page-parts.ts";
import type { SessionResponse, TurnEntry, TurnInFull } from "../operation.ts";
import { describeTurnActivity, foldTurnSteps, type Margin, turnAsMarkdown } from "../turn-words.ts";
import type { Density } from "./density.ts";
import { scrollToFound } from "./find-text.ts";
import { type DrawnTurn, Pictures } from "./pictures.tsx";
import { ToolCall } from "./tool-call.tsx";
import { type TurnPlace, useTurn } from "./use-turn.ts";

export type OutlinedTurn = SessionResponse["turns"][number];

interface TurnProps extends Omit<TurnPlace, "number"> {
  outlined: OutlinedTurn;
  /** The one before it; null: it is the first. */
  before: OutlinedTurn | null;
  margin: Margin | undefined;
  /** What it cost; "": that is not known. */
  cost: string;
  density: Density;
  /** A text in it that the reader is still to be led to; "" once that is done. */
  sought: { text: string } | null;
  /** What it holds is there, or there is more of it. */
  onLoaded: () => void;
}

/** A prompt with all that the agent did until the next one. */
export function Turn({ outlined, before, margin, cost, density, sought, onLoaded, ...place }: TurnProps) {
  const { session } = place;
  const { number, prompt, started_at, abandoned, state, branch } = outlined;
  const { turn, error, isOnItsWay, loadWhole, retry } = useTurn({ ...place, number });
  const shown = useRef<HTMLElement>(null);
  const drawn = useRef<typeof turn>(null);
  useEffect(() => {
    if (turn !== drawn.current) onLoaded();
    drawn.current = turn;
  }, [turn]);
  useEffect(() => {
    if (!sought?.text || turn === null) return;
    if (scrollToFound(shown.current!, sought.text)) sought.text = "";
    // Long outputs come without their middle.
    else if (turn.entries.some(({ omitted }) => omitted > 0)) loadWhole();
  }, [sought, turn]);
  const isSameDay =
    before?.started_at != null && formatDay(before.started_at) === formatDay(started_at ?? "");
  const entries = turn && chooseEntries(turn.entries, density);
  const did = density === "story" ? describeTurnActivity(outlined).join(" · ") : "";
  return (
    <article
      ref={shown}
      class={abandoned ? "turn abandoned" : "turn"}
      id={`turn-${number}`}
      aria-label={`Turn ${number}`}
      aria-busy={isOnItsWay}
    >
      <header>
        <a class="turn-number" href={linkToSession(session, number)}>
          {nameTurnInTitle(number)}
        </a>
        {isSameDay ? <Time at={started_at} isDayKnown /> : <Moment at={started_at} />}
        {branch !== null && branch !== before?.branch && <span class="path">{branch}</span>}
        {abandoned && <AbandonedBadge />}
        <TurnEnd state={state} />
        {did !== "" && <span>{did}</span>}
        {cost !== "" && <span title="What models read and wrote for this turn">{cost}</span>}
        {turn && <CopyButton label="Copy as Markdown" text={() => turnAsMarkdown(turn)} />}
      </header>
      <div class="turn-body">
        {entries === null ? (
          <div class="said prompt clamped" style={{ "--lines": 3 }}>
            {prompt}
          </div>
        ) : (
          <Story
            of={{ session, turn: number }}
            entries={entries}
            lines={density === "story" ? 3 : 18}
            onWhole={loadWhole}
          />
        )}
        {error && <Failure error={error} onRetry={retry} />}
        {!error && !isOnItsWay && !entries?.length && <p class="faint">Nothing of it is stored.</p>}
      </div>
      <Beside margin={margin} session={session} turn={number} />
    </article>
  );
}

/** What of a turn is shown: all of it, or the prompt with what the agent said in the end. */
function chooseEntries(entries: readonly TurnEntry[], density: Density): readonly TurnEntry[] {
  if (density === "") return entries;
  const isText = ({ kind, text }: TurnEntry) => kind === "text" && text.trim() !== "";
  const lastText = entries.findLastIndex(isText);
  const lastCall = entries.findLastIndex(({ tool }) => tool !== null);
  return entries.filter(
    (entry, i) =>
      entry.kind === "prompt" ||
      entry.kind === "compaction" ||
      (isText(entry) && i >= Math.min(lastText, lastCall + 1)),
  );
}

interface StoryProps {
  of: DrawnTurn;
  entries: readonly TurnEntry[];
  /** Of prompts so many are shown at first; where they are few, of answers too. */
  lines?: number;
  onWhole: () => void;
}

/** What happened, step by step; what was only looked at is one of them. */
function Story({ of, entries, lines = 18, onWhole }: StoryProps) {
  return (
    <>
      {foldTurnSteps(entries).map((step, i) =>
        step.kind === "one" ? (
          <Entry key={i} of={of} entry={step.entry} lines={lines} onWhole={onWhole} />
        ) : (
          <Folded key={i} label={step.says} at={step.entries[0]?.timestamp ?? null}>
            {step.entries.map((entry, j) => (
              <Entry key={j} of={of} entry={entry} lines={lines} onWhole={onWhole} />
            ))}
          </Folded>
        ),
      )}
    </>
  );
}

/** What a subagent did, where it was called; the rest of a long one on request. */
function Subagent({ id, from = 0 }: { id: string; from?: number }) {
  const [isWhole, setWhole] = useState(false);
  const [isMore, setMore] = useState(false);
  const { data, error, reload } = useAnswer("turns", { session: id, from, ...(isWhole && { whole: true }) });
  if (error) return <Failure error={error} onRetry={reload} />;
  if (data === null) return <Loading rows={2} />;
  return (
    <>
      {data.turns.map(({ number, entries }) => (
        <Story
          key={number}
          of={{ session: id, turn: number }}
          entries={entries}
          onWhole={() => setWhole(true)}
        />
      ))}
      {data.next !== null &&
        (isMore ? (
          <Subagent id={id} from={data.next} />
        ) : (
          <SmallButton onClick={() => setMore(true)}>Show more of it</SmallButton>
        ))}
    </>
  );
}

const endLabels = {
  interrupted: { tone: "warning", title: "The person stopped the agent" },
  error: { tone: "bad", title: "The model's service failed, or the agent gave up" },
  unfinished: {
    tone: "unknown",
    title:
      "No end was recorded: the next prompt came before it, the turn is still running, or the agent was closed",
  },
} as const;

/** How it ended: with an answer is the rule, and not worth a word. */
function TurnEnd({ state = "completed" }: Pick<TurnInFull, "state">) {
  if (state === "completed") return null;
  const { tone, title } = endLabels[state];
  return (
    <Badge tone={tone} title={title}>
      {state}
    </Badge>
  );
}

/** Fewer lines of an answer than these are no answer to read. */
const wholeAnswerLines = 18;

interface TurnEntryProps extends Required<Omit<StoryProps, "entries">> {
  entry: TurnEntry;
}

function Entry({ of, entry, lines, onWhole }: TurnEntryProps) {
  const { kind, text, images, tool, omitted, timestamp } = entry;
  switch (kind) {
    case "prompt":
      return (
        <div class="said prompt">
          {text !== "" && <Clamped text={text} lines={lines} />}
          {images > 0 && (
            <Pictures {...of} count={images} isMeant={({ at, call }) => call === null && at === timestamp} />
          )}
        </div>
      );
    case "text":
      return (
        <div class="said">
          {lines < wholeAnswerLines ? <Clamped text={text} lines={lines} /> : <Markdown text={text} />}
          {omitted > 0 && <Omitted count={omitted} onWhole={onWhole} />}
        </div>
      );
    case "tool":
      return (
        tool && (
          <ToolCall of={of} call={tool} at={timestamp} onWhole={omitted > 0 ? onWhole : null}>
            {() =>
              tool.subagent !== null && (
                <section class="subagent" aria-label="What the subagent did">
                  <Subagent id={tool.subagent} />
                </section>
              )
            }
          </ToolCall>
        )
      );
    case "compaction":
      return (
        <p class="compaction">
          <span>The context was compacted here{text === "" ? "" : ` (${text})`}</span>
        </p>
      );
    case "summary":
      return <FoldedText label="The agent's summary so far" text={text} at={timestamp} />;
    case "thinking":
      return <FoldedText label={`Thought: ${getFirstLine(text)}`} text={text} at={timestamp} />;
    case "notice":
      return (
        <FoldedText label={`From the agent's program: ${getFirstLine(text)}`} text={text} at={timestamp} />
      );
  }
}

const getFirstLine = (text: string) => text.trim().split("\n", 1)[0]!.slice(0, 160);

function FoldedText({ text, ...folded }: { label: string; text: string; at: string | null }) {
  return (
    <Folded {...folded}>
      <Preformatted class="call-text">{text}</Preformatted>
    </Folded>
  );
}

function Folded({ label, at, children }: { label: string; at: string | null; children: ComponentChildren }) {
  return (
    <details class="call">
      <summary>
        <span class="call-says">
          <Inline text={label} />
        </span>
        <Time at={at} isDayKnown />
      </summary>
      {children}
    </details>
  );
}

function Omitted({ count, onWhole }: { count: number; onWhole: () => void }) {
  return <SmallButton onClick={onWhole}>Show {formatCount(count, "more character")}</SmallButton>;
}

interface BesideProps {
  margin: Margin | undefined;
  session: string;
  turn: number;
}

const noMargin: Margin = { notes: [], decisions: [], commits: [] };

/** Notes, decisions, commits and what features say of it, in the margin. */
function Beside({ margin: { notes, decisions, commits } = noMargin, session, turn }: BesideProps) {
  return (
    <aside class="beside">
      {notes.map(({ id, note }) => (
        <div key={id}>
          <Badge tone="human">note</Badge>
          <p>{note}</p>
        </div>
      ))}
      {decisions.map(({ text, superseded_by, superseded }) => (
        <div key={text}>
          <Badge tone="agent">decided</Badge>
          <p>{superseded_by === null ? <Inline text={text} /> : <s>{text}</s>}</p>
          {superseded_by !== null && (
            <p class="faint">
              {labelSuperseded({ superseded })}: {superseded_by}
            </p>
          )}
        </div>
      ))}
      {commits.map(({ commit, subject, lines, surviving }) => (
        <div key={commit}>
          <Badge tone="good">commit</Badge>
          <p>
            <a href={linkToCommit(commit)}>{subject}</a> <span class="path">{shortenHash(commit)}</span>
          </p>
          <p class="faint">
            {wordLinesByAuthor(lines)}
            {surviving != null &&
              surviving.added > 0 &&
              `; ${surviving.left.toLocaleString("en")} of ${surviving.added.toLocaleString("en")} left today`}
          </p>
        </div>
      ))}
      {Object.entries(turnParts).map(([feature, Part]) => (
        <Part key={feature} session={session} turn={turn} />
      ))}
    </aside>
  );
}
