import {
  ago,
  bad,
  caution,
  cutLine,
  type Document,
  type DocumentBlock,
  factTable,
  faint,
  good,
  indentedLine,
  type LinePart,
  makeDocument,
  mark,
  type Paragraph,
  strong,
  table,
  title,
} from "../../answers/document.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatCount } from "../../base/text/counted.ts";
import { cutToWidth, measureWidth, wrapToWidth } from "../../base/text/display-width.ts";
import { formatDuration, formatRoughDuration } from "../../base/text/duration.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { showLive } from "../../terminal/live.ts";
import type { Screen } from "../../terminal/output.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import type { StatusResponse } from "./operation.ts";
import { wordHealth } from "./words.ts";

/** Milliseconds between two looks. */
const refreshMs = 1000;

/** `pm status --watch` on a terminal: redrawn in place until q or Ctrl-C. */
export function showDashboard(
  look: () => Promise<StatusResponse>,
  { colors }: Pick<Screen, "colors">,
): Promise<void> {
  return showLive(
    async (columns, rows) => renderDashboard(await look(), { columns, rows, colors, now: Date.now() }),
    refreshMs,
  );
}

interface DashboardFrame extends Screen {
  columns: number;
  rows: number;
}

/** A status as lines that fit on the screen: what runs now stands above what is stored. */
export function renderDashboard(status: StatusResponse, frame: DashboardFrame): string[] {
  const { columns, rows, colors } = frame;
  const cut = (line: string) => (measureWidth(line) <= columns ? line : wrapToWidth(line, columns, true)[0]!);
  const lines = renderDocument(wordDashboard(status, columns), { screen: frame }).split("\n").map(cut);
  return [...lines.slice(0, Math.max(rows - 2, 1)), "", colors.dim(cutToWidth("q ends", columns))].slice(
    -rows,
  );
}

function wordDashboard(status: StatusResponse, columns: number): Document {
  const barColumns = Math.min(Math.max(columns - 50, 10), 40);
  return makeDocument(
    [cutLine(0, ...wordHead(status))],
    wordWork("Code index", toCodeWork(status), barColumns),
    wordWork("Sessions", toSessionWork(status), barColumns),
    wordRecent(status),
    wordStored(status),
    [title("Health"), ...wordHealth(status)],
    status.notes.map((text) => indentedLine(2, 4, mark("warn"), " ", { text })),
  );
}

function wordHead({ version, daemon, project }: StatusResponse): LinePart[] {
  const name = strong(`Pommel ${version}`);
  if (!daemon.running) return [name, "  ", caution("not running")];
  const facts = `up ${formatDuration((daemon.uptime_seconds ?? 0) * 1000)}, ${formatBytes(daemon.memory_bytes ?? 0)}`;
  return [name, "  ", good("running"), "  ", faint(facts), "  ", { ...faint(project), quotedChars: 200 }];
}

interface DashboardWork {
  /** What is done now; "" for nothing. */
  subject: string;
  done: number;
  total: number;
  facts: string[];
  idle: string;
}

function wordWork(
  name: string,
  { subject, done, total, facts, idle }: DashboardWork,
  barColumns: number,
): Paragraph {
  if (subject === "" && total <= done) return [cutLine(0, strong(name), "  ", good(idle))];
  const share = total > 0 ? done / total : 0;
  const said = facts.filter((fact) => fact !== "").join(", ");
  return [
    cutLine(
      0,
      strong(name),
      "  ",
      { draw: "progress", share, columns: barColumns, role: "agent" },
      ` ${Math.floor(share * 100)} %  ${said}`,
    ),
    ...(subject === "" ? [] : [cutLine(2, { ...faint(subject), quotedChars: 200 })]),
  ];
}

function toCodeWork({ queue, index }: StatusResponse): DashboardWork {
  const isIdle = queue.code_is_idle;
  return {
    subject: isIdle ? "" : (queue.processing ?? ""),
    done: isIdle ? 1 : queue.done,
    total: isIdle ? 1 : queue.total,
    facts: [
      `${queue.done.toLocaleString("en")} of ${formatCount(queue.total, "file")}`,
      `${queue.rate_chunks_per_sec} chunks/s`,
      queue.eta_seconds === null ? "" : `about ${formatRoughDuration(queue.eta_seconds)} left`,
    ],
    idle: `up to date: ${formatCount(index.total_files, "file")}, ${formatCount(index.total_chunks, "chunk")}`,
  };
}

function toSessionWork({ memory }: StatusResponse): DashboardWork {
  const { pending, running, eta_seconds: eta, rate_chunks_per_sec: rate } = memory.jobs;
  const [first] = running;
  return {
    subject: first ? `${first.kind} ${first.subject}` : "",
    done: first?.done ?? 0,
    total: first?.total ?? (pending > 0 ? 1 : 0),
    facts: [
      `${pending.toLocaleString("en")} pending`,
      rate > 0 ? `${rate} chunks/s` : "",
      eta !== null && eta > 0 ? `about ${formatRoughDuration(eta)} left` : "",
    ],
    idle: `up to date: ${formatCount(memory.sessions, "session")}, ${formatCount(memory.turns, "turn")}`,
  };
}

const recentShown = 4;

function wordRecent({ queue, memory }: StatusResponse): DocumentBlock[] {
  const files = queue.recent.map(({ path, chunks, at }) => ({ what: path, chunks, at, isDone: true }));
  const jobs = memory.jobs.recent.map(({ kind, subject, outcome, chunks, at }) => ({
    what: `${kind} ${subject}`,
    chunks,
    at,
    isDone: outcome === "done",
  }));
  const last = [...files, ...jobs].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, recentShown);
  if (last.length === 0) return [];
  const rows = last.map(({ what, chunks, at, isDone }) => [
    ["  ", mark(isDone ? "ok" : "fail"), " ", { text: what }],
    formatCount(chunks, "chunk"),
    ago(at),
  ]);
  return [
    title("Lately"),
    table([{ title: "", wraps: true }, { title: "", isNumber: true, optional: 1 }, { title: "" }], rows),
  ];
}

function wordStored({ memory, storage, index }: StatusResponse): Paragraph {
  const failed = memory.jobs.dead.length;
  return [
    title("Stored"),
    ...factTable([
      [
        "commits",
        `${memory.commits.toLocaleString("en")} (${formatCount(memory.checkpoints, "checkpoint")})`,
      ],
      ["notes", memory.annotations.toLocaleString("en")],
      [
        "last session",
        memory.last_updated === null ? "none" : formatRelativeTime(Date.parse(memory.last_updated)),
      ],
      ["on disk", `${formatBytes(storage.index_bytes)} index, ${formatBytes(memory.bytes)} memory`],
      ["skipped files", index.skipped.total.toLocaleString("en")],
      ...(failed > 0 ? [["failed", bad(`${formatCount(failed, "job")} (pm daemon queue)`)] as const] : []),
    ]),
  ];
}
