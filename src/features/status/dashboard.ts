import { cutToWidth, measureWidth, padToWidth, wrapToWidth } from "../../base/text/display-width.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { drawProgressBar } from "../../terminal/chart.ts";
import { showLive } from "../../terminal/live.ts";
import { formatBytes, formatDuration, formatMark } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { toPrintable } from "../../terminal/text.ts";
import { formatRoughDuration } from "./memory-rows.ts";
import type { StatusResponse } from "./operation.ts";
import { formatHealth } from "./pm-status.ts";

/** Milliseconds between two looks. */
const refreshMs = 1000;

/** `pm status --watch` on a terminal: redrawn in place until q or Ctrl-C. */
export function showDashboard(look: () => Promise<StatusResponse>, colors: Palette): Promise<void> {
  return showLive(
    async (columns, rows) => renderDashboard(await look(), { columns, rows, colors, now: Date.now() }),
    refreshMs,
  );
}

interface Frame {
  columns: number;
  rows: number;
  colors: Palette;
  now: number;
}

/** A status as lines that fit on the screen: what runs now stands above what is stored. */
export function renderDashboard(status: StatusResponse, frame: Frame): string[] {
  const { columns, rows, colors } = frame;
  const cut = (line: string) => (measureWidth(line) <= columns ? line : wrapToWidth(line, columns, true)[0]!);
  const sections = [
    [renderHeader(status, frame)],
    renderWork("Code index", toCodeWork(status), frame),
    renderWork("Sessions", toSessionWork(status), frame),
    renderRecent(status, frame),
    renderStored(status, frame),
    [colors.bold("Health"), ...formatHealth(status, colors).map((line) => line.replace(/^\n/, ""))],
    ...(status.notes.length > 0
      ? [status.notes.map((note) => `  ${formatMark("warn", colors)} ${toPrintable(note)}`)]
      : []),
  ].filter((lines) => lines.length > 0);
  const lines = sections.flatMap((section, i) => (i === 0 ? section : ["", ...section])).map(cut);
  const footer = colors.dim(cutToWidth("q ends", columns));
  return [...lines.slice(0, Math.max(rows - 2, 1)), "", footer].slice(-rows);
}

function renderHeader({ version, daemon, project }: StatusResponse, { colors, columns }: Frame): string {
  const name = colors.bold(`Pommel ${version}`);
  if (!daemon.running) return `${name}  ${colors.warn("not running")}`;
  const facts = `up ${formatDuration((daemon.uptime_seconds ?? 0) * 1000)}, ${formatBytes(daemon.memory_bytes ?? 0)}`;
  const left = `${name}  ${colors.ok("running")}  ${colors.dim(facts)}`;
  const room = columns - measureWidth(left) - 2;
  return room < 12 ? left : `${left}  ${colors.dim(cutToWidth(toPrintable(project), room))}`;
}

interface Work {
  /** What is done now; "" for nothing. */
  subject: string;
  done: number;
  total: number;
  facts: string[];
  idle: string;
}

function renderWork(
  title: string,
  { subject, done, total, facts, idle }: Work,
  { colors, columns }: Frame,
): string[] {
  if (subject === "" && total <= done) return [`${colors.bold(title)}  ${colors.ok(idle)}`];
  const share = total > 0 ? done / total : 0;
  const bar = drawProgressBar(share, Math.min(Math.max(columns - 50, 10), 40));
  return [
    `${colors.bold(title)}  ${colors.agent(bar)} ${Math.floor(share * 100)} %  ${facts.filter((fact) => fact !== "").join(", ")}`,
    ...(subject === "" ? [] : [colors.dim(`  ${cutToWidth(toPrintable(subject), columns - 2)}`)]),
  ];
}

function toCodeWork({ queue, index }: StatusResponse): Work {
  const isIdle = queue.code_is_idle;
  return {
    subject: isIdle ? "" : (queue.processing ?? ""),
    done: isIdle ? 1 : queue.done,
    total: isIdle ? 1 : queue.total,
    facts: [
      `${formatInteger(queue.done)} of ${formatInteger(queue.total)} files`,
      `${queue.rate_chunks_per_sec} chunks/s`,
      queue.eta_seconds === null ? "" : `about ${formatRoughDuration(queue.eta_seconds)} left`,
    ],
    idle: `up to date: ${formatInteger(index.total_files)} files, ${formatInteger(index.total_chunks)} chunks`,
  };
}

function toSessionWork({ memory }: StatusResponse): Work {
  const { pending, running, eta_seconds: eta, rate_chunks_per_sec: rate } = memory.jobs;
  const [first] = running;
  return {
    subject: first ? `${first.kind} ${first.subject}` : "",
    done: first?.done ?? 0,
    total: first?.total ?? (pending > 0 ? 1 : 0),
    facts: [
      `${formatInteger(pending)} pending`,
      rate > 0 ? `${rate} chunks/s` : "",
      eta !== null && eta > 0 ? `about ${formatRoughDuration(eta)} left` : "",
    ],
    idle: `up to date: ${formatInteger(memory.sessions)} sessions, ${formatInteger(memory.turns)} turns`,
  };
}

const recentShown = 4;

function renderRecent({ queue, memory }: StatusResponse, { colors, columns, now }: Frame): string[] {
  const files = queue.recent.map(({ path, chunks, at }) => ({ what: path, chunks, at, isDone: true }));
  const jobs = memory.jobs.recent.map(({ kind, subject, outcome, chunks, at }) => ({
    what: `${kind} ${subject}`,
    chunks,
    at,
    isDone: outcome === "done",
  }));
  const last = [...files, ...jobs].sort((a, b) => Date.parse(b.at) - Date.parse(a.at)).slice(0, recentShown);
  if (last.length === 0) return [];
  const lines = last.map(({ what, chunks, at, isDone }) => {
    const facts = `${formatInteger(chunks)} chunks  ${formatRelativeTime(Date.parse(at), now).padStart(14)}`;
    const room = Math.max(columns - facts.length - 6, 10);
    return `  ${formatMark(isDone ? "ok" : "fail", colors)} ${padToWidth(cutToWidth(toPrintable(what), room), room)}  ${colors.dim(facts)}`;
  });
  return [colors.bold("Lately"), ...lines];
}

function renderStored({ memory, storage, index }: StatusResponse, { colors, now }: Frame): string[] {
  const last =
    memory.last_updated === null ? "none" : formatRelativeTime(Date.parse(memory.last_updated), now);
  const failed = memory.jobs.dead.length;
  const rows = [
    ["commits", `${formatInteger(memory.commits)} (${formatInteger(memory.checkpoints)} checkpoints)`],
    ["notes", formatInteger(memory.annotations)],
    ["last session", last],
    ["on disk", `${formatBytes(storage.index_bytes)} index, ${formatBytes(memory.bytes)} memory`],
    ["skipped files", formatInteger(index.skipped.total)],
    ...(failed > 0 ? [["failed", colors.error(`${formatInteger(failed)} jobs (pm daemon queue)`)]] : []),
  ];
  return [colors.bold("Stored"), ...rows.map(([name = "", value = ""]) => `  ${name.padEnd(14)} ${value}`)];
}

const formatInteger = (value: number) => value.toLocaleString("en");
