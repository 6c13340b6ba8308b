import { cutToWidth, padToWidth, widthOf, wrapToWidth } from "../../base/text/display-width.ts";
import { relativeTime } from "../../base/text/relative-time.ts";
import { progressBar } from "../../terminal/chart.ts";
import { showLive } from "../../terminal/live.ts";
import { humanBytes, humanDuration, tick } from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { printable } from "../../terminal/text.ts";
import { roughly } from "./memory-rows.ts";
import type { StatusResponse } from "./operation.ts";
import { healthLines } from "./pm-status.ts";

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
  const cut = (line: string) => (widthOf(line) <= columns ? line : wrapToWidth(line, columns, true)[0]!);
  const sections = [
    [header(status, frame)],
    work("Code index", codeWork(status), frame),
    work("Sessions", sessionWork(status), frame),
    recent(status, frame),
    stored(status, frame),
    [colors.bold("Health"), ...healthLines(status, colors).map((line) => line.replace(/^\n/, ""))],
    ...(status.notes.length > 0
      ? [status.notes.map((note) => `  ${tick("warn", colors)} ${printable(note)}`)]
      : []),
  ].filter((lines) => lines.length > 0);
  const lines = sections.flatMap((section, i) => (i === 0 ? section : ["", ...section])).map(cut);
  const footer = colors.dim(cutToWidth("q ends", columns));
  return [...lines.slice(0, Math.max(rows - 2, 1)), "", footer].slice(-rows);
}

function header({ version, daemon, project }: StatusResponse, { colors, columns }: Frame): string {
  const name = colors.bold(`Pommel ${version}`);
  if (!daemon.running) return `${name}  ${colors.warn("not running")}`;
  const facts = `up ${humanDuration((daemon.uptime_seconds ?? 0) * 1000)}, ${humanBytes(daemon.memory_bytes ?? 0)}`;
  const left = `${name}  ${colors.ok("running")}  ${colors.dim(facts)}`;
  const room = columns - widthOf(left) - 2;
  return room < 12 ? left : `${left}  ${colors.dim(cutToWidth(printable(project), room))}`;
}

interface Work {
  /** What is done now; "" for nothing. */
  subject: string;
  done: number;
  total: number;
  facts: string[];
  idle: string;
}

function work(
  title: string,
  { subject, done, total, facts, idle }: Work,
  { colors, columns }: Frame,
): string[] {
  if (subject === "" && total <= done) return [`${colors.bold(title)}  ${colors.ok(idle)}`];
  const share = total > 0 ? done / total : 0;
  const bar = progressBar(share, Math.min(Math.max(columns - 50, 10), 40));
  return [
    `${colors.bold(title)}  ${colors.agent(bar)} ${Math.floor(share * 100)} %  ${facts.filter((fact) => fact !== "").join(", ")}`,
    ...(subject === "" ? [] : [colors.dim(`  ${cutToWidth(printable(subject), columns - 2)}`)]),
  ];
}

function codeWork({ queue, index }: StatusResponse): Work {
  const isIdle = queue.code_is_idle;
  return {
    subject: isIdle ? "" : (queue.processing ?? ""),
    done: isIdle ? 1 : queue.done,
    total: isIdle ? 1 : queue.total,
    facts: [
      `${number(queue.done)} of ${number(queue.total)} files`,
      `${queue.rate_chunks_per_sec} chunks/s`,
      queue.eta_seconds === null ? "" : `about ${roughly(queue.eta_seconds)} left`,
    ],
    idle: `up to date: ${number(index.total_files)} files, ${number(index.total_chunks)} chunks`,
  };
}

function sessionWork({ memory }: StatusResponse): Work {
  const { pending, running, eta_seconds: eta, rate_chunks_per_sec: rate } = memory.jobs;
  const [first] = running;
  return {
    subject: first ? `${first.kind} ${first.subject}` : "",
    done: first?.done ?? 0,
    total: first?.total ?? (pending > 0 ? 1 : 0),
    facts: [
      `${number(pending)} pending`,
      rate > 0 ? `${rate} chunks/s` : "",
      eta !== null && eta > 0 ? `about ${roughly(eta)} left` : "",
    ],
    idle: `up to date: ${number(memory.sessions)} sessions, ${number(memory.turns)} turns`,
  };
}

const recentShown = 4;

function recent({ queue, memory }: StatusResponse, { colors, columns, now }: Frame): string[] {
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
    const facts = `${number(chunks)} chunks  ${relativeTime(Date.parse(at), now).padStart(14)}`;
    const room = Math.max(columns - facts.length - 6, 10);
    return `  ${tick(isDone ? "ok" : "fail", colors)} ${padToWidth(cutToWidth(printable(what), room), room)}  ${colors.dim(facts)}`;
  });
  return [colors.bold("Lately"), ...lines];
}

function stored({ memory, storage, index }: StatusResponse, { colors, now }: Frame): string[] {
  const last = memory.last_updated === null ? "none" : relativeTime(Date.parse(memory.last_updated), now);
  const failed = memory.jobs.dead.length;
  const rows = [
    ["commits", `${number(memory.commits)} (${number(memory.checkpoints)} checkpoints)`],
    ["notes", number(memory.annotations)],
    ["last session", last],
    ["on disk", `${humanBytes(storage.index_bytes)} index, ${humanBytes(memory.bytes)} memory`],
    ["skipped files", number(index.skipped.total)],
    ...(failed > 0 ? [["failed", colors.error(`${number(failed)} jobs (pm daemon queue)`)]] : []),
  ];
  return [colors.bold("Stored"), ...rows.map(([name = "", value = ""]) => `  ${name.padEnd(14)} ${value}`)];
}

const number = (value: number) => value.toLocaleString("en");
