import type { ComponentChildren } from "preact";
import { Badge } from "../../../page/components/badge.tsx";
import { CopyButton, Preformatted } from "../../../page/components/code-lines.tsx";
import { SmallButton } from "../../../page/components/layout.tsx";
import { Clamped, Markdown } from "../../../page/components/markdown.tsx";
import { Inline } from "../../../page/components/marked.tsx";
import { Failure, Loading } from "../../../page/components/states.tsx";
import { Moment, Time } from "../../../page/components/time.tsx";
import { formatCount } from "../../../page/components/words.ts";
import { linkToCommit, linkToSession } from "../../../page/router.ts";
import type { TurnEntry, TurnInFull } from "../operation.ts";
import { foldTurnSteps, type Margin, turnAsMarkdown } from "../turn-words.ts";
import { ToolCall } from "./tool-call.tsx";
import { useTurns } from "./use-turns.ts";

interface TurnProps {
  session: string;
  turn: TurnInFull;
  margin: Margin | undefined;
  /** Asks for what was left out of it. */
  onWhole: () => void;
}

/** A prompt with all that the agent did until the next one. */
export function Turn({ session, turn, margin, onWhole }: TurnProps) {
  const { number, started_at, abandoned, state, branch, entries } = turn;
  return (
    <article
      class={abandoned ? "turn abandoned" : "turn"}
      id={`turn-${number}`}
      aria-label={`Turn ${number}`}
    >
      <header>
        <a class="turn-number" href={linkToSession(session, number)}>
          {number === 0 ? "Before the first prompt" : `Turn ${number}`}
        </a>
        <Moment at={started_at} />
        {branch !== null && <span class="path">{branch}</span>}
        {abandoned && <Badge title="The conversation went on from before it">abandoned</Badge>}
        <TurnEnd state={state} />
        <CopyButton label="Copy as Markdown" text={() => turnAsMarkdown(turn)} />
      </header>
      <div class="turn-body">
        <Story entries={entries} onWhole={onWhole} />
        {entries.length === 0 && <p class="faint">Nothing of it is stored.</p>}
      </div>
      {margin && <Beside margin={margin} />}
    </article>
  );
}

/** What happened, step by step; what was only looked at is one of them. */
function Story({ entries, onWhole }: { entries: readonly TurnEntry[]; onWhole: () => void }) {
  return (
    <>
      {foldTurnSteps(entries).map((step, i) =>
        step.kind === "one" ? (
          <Entry key={i} entry={step.entry} onWhole={onWhole} />
        ) : (
          <Folded key={i} label={step.says} at={step.entries[0]?.timestamp ?? null}>
            {step.entries.map((entry, j) => (
              <Entry key={j} entry={entry} onWhole={onWhole} />
            ))}
          </Folded>
        ),
      )}
    </>
  );
}

/** A subagent's turns are read once. */
const notFollowed: readonly number[] = [];

/** What a subagent did, where it was called. */
function Subagent({ id }: { id: string }) {
  const { turns, error, hasMore, isLoading, loadMore, loadWhole, retry } = useTurns(id, 0, notFollowed);
  return (
    <section class="subagent" aria-label="What the subagent did">
      {turns.map(({ number, entries }) => (
        <Story key={number} entries={entries} onWhole={() => loadWhole(number)} />
      ))}
      {error && <Failure error={error} onRetry={retry} />}
      {isLoading && <Loading rows={2} />}
      {hasMore && !isLoading && <SmallButton onClick={loadMore}>Show more of it</SmallButton>}
    </section>
  );
}

const endLabels = {
  interrupted: { tone: "warning", title: "The user stopped the agent" },
  error: { tone: "bad", title: "The model's service failed, or the client gave up" },
  unfinished: {
    tone: "unknown",
    title: "No end was recorded: the next prompt came first, it still runs, or the client was closed",
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

function Entry({ entry, onWhole }: { entry: TurnEntry; onWhole: () => void }) {
  const { kind, text, images, tool, omitted, timestamp } = entry;
  switch (kind) {
    case "prompt":
      return (
        <div class="said prompt">
          {text !== "" && <Clamped text={text} lines={18} />}
          {images > 0 && <p class="faint">{formatCount(images, "image")}</p>}
        </div>
      );
    case "text":
      return (
        <div class="said">
          <Markdown text={text} />
          {omitted > 0 && <Omitted count={omitted} onWhole={onWhole} />}
        </div>
      );
    case "tool":
      return (
        tool && (
          <ToolCall call={tool} at={timestamp} onWhole={omitted > 0 ? onWhole : null}>
            {() => tool.subagent !== null && <Subagent id={tool.subagent} />}
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
      return <FoldedText label={`From the client: ${getFirstLine(text)}`} text={text} at={timestamp} />;
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

/** Notes, decisions and commits, in the margin. */
function Beside({ margin: { notes, decisions, commits } }: { margin: Margin }) {
  return (
    <aside class="beside">
      {notes.map(({ id, note }) => (
        <div key={id}>
          <Badge tone="human">note</Badge>
          <p>{note}</p>
        </div>
      ))}
      {decisions.map(({ text, superseded_by }) => (
        <div key={text}>
          <Badge tone="agent">decided</Badge>
          <p>{superseded_by === null ? <Inline text={text} /> : <s>{text}</s>}</p>
          {superseded_by !== null && <p class="faint">Superseded: {superseded_by}</p>}
        </div>
      ))}
      {commits.map(({ commit, subject, lines, surviving }) => (
        <div key={commit}>
          <Badge tone="good">commit</Badge>
          <p>
            <a href={linkToCommit(commit)}>{subject}</a> <span class="path">{commit.slice(0, 8)}</span>
          </p>
          <p class="faint">
            {formatCount(lines.agent, "line")} by agents
            {lines.human > 0 && `, ${lines.human.toLocaleString("en")} by people`}
            {surviving != null &&
              surviving.added > 0 &&
              `; ${surviving.left.toLocaleString("en")} of ${surviving.added.toLocaleString("en")} left today`}
          </p>
        </div>
      ))}
    </aside>
  );
}
