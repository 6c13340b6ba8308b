import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../base/config/config.ts";
import { explainError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { readAutostartStatus } from "../../client/autostart.ts";
import { call } from "../../client/call.ts";
import type { UnreachableReason } from "../../client/daemon-client.ts";
import { lookUpProject } from "../../git/projects/find-project.ts";
import { describeAutostart } from "../../terminal/autostart-text.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import {
  formatBytes,
  formatDuration,
  formatMark,
  nothingIndexed,
  type Output,
  type Screen,
} from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { formatTable } from "../../terminal/table.ts";
import { toPrintable } from "../../terminal/text.ts";
import { showUsed } from "../used/operation.ts";
import { wordUsed } from "../used/words.ts";
import { formatMemoryRows, formatRoughDuration } from "./memory-rows.ts";
import type { StatusResponse } from "./operation.ts";
import { showStatus } from "./operation.ts";

/** The languages with the most chunks; the rest are counted. */
const languagesShown = 8;
const recentShown = 5;

/** A status for a person. */
export function renderStatus(status: StatusResponse, screen: Screen, used = ""): string {
  const { colors } = screen;
  const sections = [
    renderHeader(status, colors),
    renderSection("Code index", indexRows(status), screen),
    status.daemon.has_open ? renderSection("Queue", queueRows(status), screen) : "",
    renderSection(
      "Sessions and commits",
      [...formatMemoryRows(status), ...(used === "" ? [] : [["Used:", used] satisfies [string, string]])],
      screen,
    ),
    renderSection("Models", formatAllModelRows(status), screen),
    renderSection("Storage", formatStorageRows(status), screen),
    renderSection("Health", [], screen) + formatHealth(status, colors).join(""),
  ];
  if (status.notes.length > 0) {
    const notes = status.notes.map((note) => `\n  ${formatMark("warn", colors)} ${note}`);
    sections.push(renderSection("Notes", [], screen) + notes.join(""));
  }
  return sections.filter((part) => part !== "").join("\n\n");
}

function renderHeader({ version, project, daemon, health }: StatusResponse, colors: Palette): string {
  if (!daemon.running) {
    const start = daemon.autostart ? describeAutostart(daemon.autostart).join(" ") : "Run `pm daemon start`.";
    const hasIndex = health.status === "healthy" || health.status === "degraded";
    const searches = hasIndex ? "\nSearches still work on the existing index." : "";
    const hint = `${start}${searches}`;
    return `${colors.bold(`Pommel ${version}`)} - daemon: ${colors.warn("not running")} ${colors.dim(`in ${project}`)}\n${hint}`;
  }
  const up = `up ${formatDuration((daemon.uptime_seconds ?? 0) * 1000)}`;
  const memory = formatBytes(daemon.memory_bytes ?? 0);
  const details = `PID ${daemon.pid}, port ${daemon.port}, ${up}, ${memory} of memory`;
  const watching = daemon.has_open
    ? ""
    : "\nIt does not watch this directory now: the next use of it has it look for what changed.";
  return `${colors.bold(`Pommel ${version}`)} - ${colors.ok("running")} (${details})\n${colors.dim(project)}${watching}`;
}

/** Columns of a section: what it is, and what it is like, wrapped beside it. */
const sectionColumns = [{ title: "" }, { title: "", wraps: true }];

function renderSection(title: string, rows: [string, string][], screen: Screen): string {
  const cells = rows.map(([label, value]) => [`  ${screen.colors.dim(label)}`, toPrintable(value)]);
  const lines = rows.length === 0 ? "" : `\n${formatTable(sectionColumns, cells, screen)}`;
  return `${screen.colors.bold(title)}${lines}`;
}

function indexRows({ index }: StatusResponse): [string, string][] {
  const rows: [string, string][] = [
    ["Files:", formatInteger(index.total_files)],
    ["Chunks:", formatInteger(index.total_chunks)],
    [
      "Last indexed:",
      index.last_indexed === null ? "never" : formatRelativeTime(Date.parse(index.last_indexed)),
    ],
  ];
  if (index.skipped.total > 0) {
    const reasons = Object.entries(index.skipped.by_reason).map(
      ([reason, n]) => `${formatInteger(n)} ${toSpacedWords(reason)}`,
    );
    rows.push(["Skipped:", `${formatInteger(index.skipped.total)} (${reasons.join(", ")})`]);
  }
  const languages = Object.entries(index.languages).sort(([, a], [, b]) => b.chunks - a.chunks);
  languages.slice(0, languagesShown).forEach(([language, { files, chunks }], i) => {
    rows.push([
      i === 0 ? "Languages:" : "",
      `${language}: ${formatPlural(files, "file")}, ${formatPlural(chunks, "chunk")}`,
    ]);
  });
  if (languages.length > languagesShown) rows.push(["", `and ${languages.length - languagesShown} more`]);
  return rows;
}

function queueRows({ queue }: StatusResponse): [string, string][] {
  const rows: [string, string][] = [
    ["Pending:", queue.code_is_idle ? "nothing, everything is indexed" : formatPlural(queue.pending, "file")],
  ];
  if (queue.processing !== null) rows.push(["Processing:", queue.processing]);
  if (!queue.code_is_idle && queue.total > 0) {
    rows.push(["Done:", `${formatInteger(queue.done)} of ${formatPlural(queue.total, "file")}`]);
    rows.push(["Rate:", `${queue.rate_chunks_per_sec} chunks/s`]);
    const left =
      queue.eta_seconds === null ? "unknown yet" : `about ${formatRoughDuration(queue.eta_seconds)}`;
    rows.push(["Time left:", left]);
  }
  queue.recent.slice(0, recentShown).forEach(({ path, chunks, took_ms, skipped, at }, i) => {
    const done = skipped === null ? formatPlural(chunks, "chunk") : `skipped: ${toSpacedWords(skipped)}`;
    const what = `${path} (${done}, ${formatDuration(took_ms)}) ${formatRelativeTime(Date.parse(at))}`;
    rows.push([i === 0 ? "Recent:" : "", what]);
  });
  return rows;
}

function formatStorageRows({ storage }: StatusResponse): [string, string][] {
  return [
    ["Index:", formatIndexSize(storage) + (storage.place ? `, at ${storage.place}` : "")],
    ["Logs:", formatBytes(storage.log_bytes)],
  ];
}

/** The full text is measured when a pass has ended. */
function formatIndexSize({ index_bytes, fts_bytes, vector_bytes = 0 }: StatusResponse["storage"]): string {
  const parts = [
    ...(fts_bytes > 0 ? [`${formatBytes(fts_bytes)} of it full text`] : []),
    ...(vector_bytes > 0 ? [`${formatBytes(vector_bytes)} vectors`] : []),
  ];
  return [formatBytes(index_bytes), ...parts].join(", ");
}

/** A line for each model in use, and one more for what keeps it from its work. */
function formatAllModelRows({ models }: StatusResponse): [string, string][] {
  return [
    ...formatModelRows("Code:", models.embedding_code, models.code),
    ...formatModelRows("Text:", models.embedding_text, models.text),
  ];
}

function formatModelRows(of: string, setting: string, models: readonly Model[]): [string, string][] {
  if (models.length === 0) {
    if (setting !== "none") return [[of, `${setting}: nothing embedded yet`]];
    return [[of, `none: search uses words${of === "Code:" ? " and structure" : ""}`]];
  }
  return models.flatMap((model, i): [string, string][] => {
    const { message, usage } = model;
    const label = i === 0 ? of : "";
    const rows: [string, string][] = [[label, `${model.id}: ${formatModelProgress(model)}`]];
    if (message !== null) rows.push(["", message]);
    if (usage !== null) rows.push(["", formatModelUsage(usage)]);
    return rows;
  });
}

type Model = StatusResponse["models"]["code"][number];

function formatModelProgress(model: Model): string {
  const done = `${formatInteger(model.chunks_embedded)} of ${formatPlural(model.chunks_total, "chunk")} embedded`;
  const none = model.chunks_missing > 0 ? `${formatInteger(model.chunks_missing)} by words only` : "";
  const left = model.eta_seconds === null ? "" : `about ${formatRoughDuration(model.eta_seconds)} left`;
  const state = { ready: "", embedding: left || "embedding", waiting: "waiting", unavailable: "unavailable" };
  return [done, none, state[model.state]].filter((part) => part !== "").join(", ");
}

function formatModelUsage({ requests, tokens, dollars }: NonNullable<Model["usage"]>): string {
  const price = dollars === null ? "" : `, $${dollars.toFixed(4)}`;
  return `${formatPlural(requests, "request")}, ${formatPlural(tokens, "token")}${price} since the daemon started`;
}

/** How search is, and what does not work though it is set or expected to. */
export function formatHealth(
  { health, models, memory, daemon, queue }: StatusResponse,
  colors: Palette,
): string[] {
  const asked = health.query_ms === null ? "" : `, a query took ${health.query_ms} ms just now`;
  const stateText = {
    healthy: `${formatMark("ok", colors)} works${asked}`,
    degraded: `${formatMark("ok", colors)} search works${asked}`,
    empty: `${formatMark("warn", colors)} ${daemon.has_open && queue.code_is_idle ? nothingIndexed : "nothing is indexed yet"}`,
    failing: `${formatMark("fail", colors)} the database is ${health.database}`,
  };
  const unavailable = [...models.code, ...models.text].filter(({ state }) => state === "unavailable");
  const problems = [
    ...new Set(
      unavailable.map(({ id, message }) => `${id} is not used: ${message ?? "it is not available."}`),
    ),
    ...(memory.llm.problem === null ? [] : [`${memory.llm.model} is not used: ${memory.llm.problem}`]),
    ...(memory.captures
      ? []
      : ["Sessions are not recorded here: `pm init` turns it on, unless sessions.capture is false."]),
  ];
  return [stateText[health.status], ...problems.map((text) => `${formatMark("warn", colors)} ${text}`)].map(
    (line) => `\n  ${line}`,
  );
}

/** The files that are left out, by reason. */
export function renderSkipped(files: readonly { path: string; reason: string }[], colors: Palette): string {
  if (files.length === 0) return "No files were skipped.";
  const byReason = new Map<string, string[]>();
  for (const { path, reason } of files) byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  return [...byReason]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, paths]) => {
      const title = colors.bold(`${toSpacedWords(reason)} (${paths.length})`);
      return `${title}\n${paths.map((path) => `  ${path}`).join("\n")}`;
    })
    .join("\n\n");
}

const formatInteger = (value: number) => value.toLocaleString("en");
const formatPlural = (count: number, unit: string) =>
  `${formatInteger(count)} ${unit}${count === 1 ? "" : "s"}`;
const toSpacedWords = (reason: string) => reason.replaceAll("_", " ");

interface StatusOptions {
  watch?: boolean;
  skipped?: boolean;
  check?: boolean;
}

const refreshMs = 2000;

/**
 * `pm status`: what the daemon says, or what can be read without one.
 * @throws DaemonUnreachable with `--check`, when the daemon does not answer
 */
export async function statusCommand({ cwd, output }: CommandContext, options: StatusOptions): Promise<void> {
  const project = await lookUpProject(cwd);
  if (options.skipped) {
    const { listSkippedFiles } = await import("../search/code.ts");
    const skipped = await listSkippedFiles(project);
    output.result({ skipped }, () => renderSkipped(skipped, output.colors));
  } else if (options.watch) {
    await watch(project, output);
  } else {
    const found = await readStatus(project, options.check ? "fail" : "here");
    const status = await withGit(project, await withSharing(project, found));
    const used = output.json || status.memory.sessions === 0 ? "" : await usedText(project);
    output.result(status, () => renderStatus(status, output, used));
  }
}

/** How often agents called Pommel lately, and whether they used what they were given; "" where nothing is recorded. */
async function usedText(project: Project): Promise<string> {
  // The status already shows why a memory cannot be read.
  const used = await call(showUsed, {}, project, { without: "here" }).catch(() => null);
  return used === null ? "" : wordUsed(used);
}

/** Says what is new since the memory was shared last, where it is shared. */
async function withSharing(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { formatNotShared, countNotShared } = await import("../share/not-shared.ts");
  // The status already shows why a memory cannot be read.
  const counts = await countNotShared(project).catch(() => null);
  const text = counts === null ? null : formatNotShared(counts);
  return text === null ? status : { ...status, notes: [...status.notes, `${text} Run \`pm share git\`.`] };
}

/** Says what keeps git from reading the repository. */
async function withGit(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { findHistoryProblem } = await import("../../git/history/history.ts");
  const problem = await findHistoryProblem(project.root);
  return problem?.isBroken ? { ...status, notes: [...status.notes, explainError(problem)] } : status;
}

async function readStatus(project: Project, without: "here" | "fail" = "here"): Promise<StatusResponse> {
  const reasons: string[] = [];
  const onHere = (why: UnreachableReason) => reasons.push(why);
  const status = await call(showStatus, {}, project, { without, onHere });
  if (status.daemon.running) return status;
  const autostart = readAutostartStatus(loadConfig(project).config["daemon.autostart"]);
  const notes = reasons[0] === "timeout" ? ["The Pommel daemon did not answer within 10 s."] : [];
  return {
    ...status,
    daemon: { ...status.daemon, autostart },
    notes: [...notes, ...status.notes],
  };
}

/** On a terminal a dashboard; elsewhere every look is a block, or a line of JSON. */
async function watch(project: Project, output: Output): Promise<void> {
  if (process.stdout.isTTY === true && !output.json) {
    const { showDashboard } = await import("./dashboard.ts");
    return showDashboard(() => readStatus(project), output.colors);
  }
  for (;;) {
    const status = await readStatus(project);
    if (output.json) process.stdout.write(`${JSON.stringify(status)}\n`);
    else process.stdout.write(`${renderStatus(status, output)}\n\n`);
    await sleep(refreshMs);
  }
}
