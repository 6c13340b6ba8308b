import {
  ago,
  caution,
  type Document,
  doneLine,
  faint,
  indentedLine,
  line,
  makeDocument,
  mark,
  type Paragraph,
  quoted,
  type TerminalDrawing,
  table,
  title,
} from "../../answers/document.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatDuration } from "../../base/text/duration.ts";
import type { JobsStatus, QueueStatus } from "../../protocol/queue.ts";

type RunningJob = JobsStatus["running"][number];

/** What people call jobs of a kind. */
const nameJob: Readonly<Record<string, string>> = { transcript: "transcript", commit: "new commit" };

/** "waits for 12 transcripts, which go first"; "" for a job that is worked on. */
export function describeWaiting({ waits_for }: Pick<RunningJob, "waits_for">): string {
  if (waits_for === null) return "";
  const { kind, jobs } = waits_for;
  return `waits for ${formatCount(jobs, nameJob[kind] ?? "job")}, which ${jobs === 1 ? "goes" : "go"} first`;
}

/** What is being done, and what waits for what, a line each; none where nothing is. */
export function describeWork(
  { code_is_idle, done, total }: Pick<QueueStatus, "code_is_idle" | "done" | "total">,
  { waiting, running }: Pick<JobsStatus, "waiting" | "running">,
): string[] {
  const files = total === 0 ? "looking for files to index" : `indexing: ${formatOfAll(done, total)} files`;
  const transcripts =
    running.filter(({ kind }) => kind === "transcript").length +
    (waiting.find(({ kind }) => kind === "transcript")?.jobs ?? 0);
  const history = running.find(({ kind }) => kind === "history");
  return [
    ...(code_is_idle ? [] : [files]),
    ...(transcripts === 0 ? [] : [`reading sessions: ${formatCount(transcripts, "transcript")} to go`]),
    ...(history === undefined ? [] : [describeHistory(history)]),
  ];
}

function describeHistory({ done, total, waits_for }: RunningJob): string {
  const facts = [total === 0 ? "" : formatOfAll(done, total), describeWaiting({ waits_for })].filter(
    (fact) => fact !== "",
  );
  return ["analysing commits", facts.join(", ")].filter((part) => part !== "").join(": ");
}

/** "412 of 2,032" */
const formatOfAll = (done: number, total: number) =>
  `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;

/** The state of the queue, and whether a daemon works on it. */
export type QueueReport = JobsStatus & { daemon_running: boolean };

const recentShown = 5;
const barColumns = 20;
const outcomeMarks = { done: "ok", gone: "warn", dead: "fail" } as const;

/** What waits, what runs, what failed, and what was done last. */
export function wordQueue(report: QueueReport): Document {
  const { running, dead, recent } = report;
  return makeDocument(
    [...wordWork(report), ...running.map(wordRunning)],
    dead.length > 0 && wordFailed(dead),
    recent.length > 0 && [
      title("Lately"),
      table(
        [
          { title: "" },
          { title: "", wraps: true },
          { title: "", isNumber: true, optional: 2 },
          { title: "", isNumber: true, optional: 1 },
          { title: "" },
        ],
        recent
          .slice(0, recentShown)
          .map(({ kind, subject, outcome, chunks, took_ms, at }) => [
            ["  ", mark(outcomeMarks[outcome]), ` ${kind}`],
            { text: subject },
            outcome === "gone" ? "deleted before it was read" : formatCount(chunks, "chunk"),
            formatDuration(took_ms),
            ago(at),
          ]),
      ),
    ],
  );
}

function wordWork({
  pending,
  running,
  is_idle,
  eta_seconds: eta,
  rate_chunks_per_sec: rate,
  daemon_running,
}: QueueReport): Paragraph {
  const jobs = formatCount(pending, "job");
  // Summaries wait until their session has been quiet for a minute.
  if (is_idle)
    return [doneLine(pending === 0 ? "The queue is empty." : `${jobs} for later, nothing to do now.`)];
  const facts = [
    `${jobs} pending`,
    `${running.length} running`,
    rate > 0 && `${rate} chunks/s`,
    eta !== null && eta > 0 && `about ${formatDuration(eta * 1000)} left`,
  ];
  return [
    line(facts.filter(Boolean).join(", ")),
    ...(daemon_running ? [] : [line(caution("No daemon is running: `pm daemon start` resumes the work."))]),
  ];
}

function wordRunning({ kind, subject, done, total, waits_for }: RunningJob) {
  const progress: TerminalDrawing = {
    draw: "progress",
    share: total === 0 ? 0 : done / total,
    columns: barColumns,
  };
  const format = kind === "transcript" ? formatBytes : String;
  const size = total === 0 ? "" : `${format(done)} of ${format(total)}`;
  const facts = [size, describeWaiting({ waits_for })].filter((fact) => fact !== "").join(", ");
  return indentedLine(2, 4, progress, " ", kind, " ", quoted(subject), "  ", facts);
}

const wordFailed = (dead: QueueReport["dead"]): Paragraph => [
  title("Failed"),
  ...dead.flatMap(({ id, kind, subject, attempts, error }) => [
    indentedLine(2, 6, mark("fail"), ` ${id}  ${kind} `, { text: subject }),
    indentedLine(6, 6, faint(error ?? "?"), faint(` (${formatCount(attempts, "attempt")})`)),
  ]),
  indentedLine(2, 2, "`pm daemon queue retry` retries them, `pm daemon queue drop` discards them."),
];

export interface RunningDaemon {
  pid: number;
  /** What it is at for a project, a line each; null: it is too busy to say. */
  work: string[] | null;
}

/** What the daemon that runs is at, for whoever has just set something up. */
export function wordRunningDaemon({ pid, work }: RunningDaemon): Document {
  if (work === null)
    return [[line(`The daemon runs (PID ${pid}) and is busy; \`pm status\` says with what.`)]];
  if (work.length === 0) return [[line(`The daemon runs (PID ${pid}), and has nothing to do.`)]];
  return [
    [
      line(`In the background, by the daemon (PID ${pid}):`),
      ...work.map((text) => indentedLine(2, 4, { text })),
      indentedLine(2, 2, faint("pm status --watch shows how far it is")),
    ],
  ];
}
