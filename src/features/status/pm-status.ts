import { setTimeout as sleep } from "node:timers/promises";
import { loadConfig } from "../../base/config/config.ts";
import { explanationOf } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import { relativeTime } from "../../base/text/relative-time.ts";
import { autostartStatus } from "../../client/autostart.ts";
import { call } from "../../client/call.ts";
import type { UnreachableReason } from "../../client/daemon-client.ts";
import { seeProject } from "../../git/projects/find-project.ts";
import { autostartText } from "../../terminal/autostart-text.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import {
  humanBytes,
  humanDuration,
  nothingIndexed,
  type Output,
  type Screen,
  tick,
} from "../../terminal/output.ts";
import type { Palette } from "../../terminal/palette.ts";
import { table } from "../../terminal/table.ts";
import { printable } from "../../terminal/text.ts";
import { showUsed } from "../used/operation.ts";
import { wordUsed } from "../used/words.ts";
import { memoryRows, roughly } from "./memory-rows.ts";
import type { StatusResponse } from "./operation.ts";
import { showStatus } from "./operation.ts";

/** The languages with the most chunks; the rest are counted. */
const languagesShown = 8;
const recentShown = 5;

/** A status for a person. */
export function renderStatus(status: StatusResponse, screen: Screen, used = ""): string {
  const { colors } = screen;
  const sections = [
    header(status, colors),
    section("Code index", indexRows(status), screen),
    status.daemon.has_open ? section("Queue", queueRows(status), screen) : "",
    section(
      "Sessions and commits",
      [...memoryRows(status), ...(used === "" ? [] : [["Used:", used] satisfies [string, string]])],
      screen,
    ),
    section("Models", modelRows(status), screen),
    section("Storage", storageRows(status), screen),
    section("Health", [], screen) + healthLines(status, colors).join(""),
  ];
  if (status.notes.length > 0) {
    const notes = status.notes.map((note) => `\n  ${tick("warn", colors)} ${note}`);
    sections.push(section("Notes", [], screen) + notes.join(""));
  }
  return sections.filter((part) => part !== "").join("\n\n");
}

function header({ version, project, daemon, health }: StatusResponse, colors: Palette): string {
  if (!daemon.running) {
    const start = daemon.autostart ? autostartText(daemon.autostart).join(" ") : "Run `pm daemon start`.";
    const hasIndex = health.status === "healthy" || health.status === "degraded";
    const searches = hasIndex ? "\nSearches still work on the existing index." : "";
    const hint = `${start}${searches}`;
    return `${colors.bold(`Pommel ${version}`)} - daemon: ${colors.warn("not running")} ${colors.dim(`in ${project}`)}\n${hint}`;
  }
  const up = `up ${humanDuration((daemon.uptime_seconds ?? 0) * 1000)}`;
  const memory = humanBytes(daemon.memory_bytes ?? 0);
  const details = `PID ${daemon.pid}, port ${daemon.port}, ${up}, ${memory} of memory`;
  const watching = daemon.has_open
    ? ""
    : "\nIt does not watch this directory now: the next use of it has it look for what changed.";
  return `${colors.bold(`Pommel ${version}`)} - ${colors.ok("running")} (${details})\n${colors.dim(project)}${watching}`;
}

/** Columns of a section: what it is, and what it is like, wrapped beside it. */
const sectionColumns = [{ title: "" }, { title: "", wraps: true }];

function section(title: string, rows: [string, string][], screen: Screen): string {
  const cells = rows.map(([label, value]) => [`  ${screen.colors.dim(label)}`, printable(value)]);
  const lines = rows.length === 0 ? "" : `\n${table(sectionColumns, cells, screen)}`;
  return `${screen.colors.bold(title)}${lines}`;
}

function indexRows({ index }: StatusResponse): [string, string][] {
  const rows: [string, string][] = [
    ["Files:", number(index.total_files)],
    ["Chunks:", number(index.total_chunks)],
    ["Last indexed:", index.last_indexed === null ? "never" : relativeTime(Date.parse(index.last_indexed))],
  ];
  if (index.skipped.total > 0) {
    const reasons = Object.entries(index.skipped.by_reason).map(
      ([reason, n]) => `${number(n)} ${words(reason)}`,
    );
    rows.push(["Skipped:", `${number(index.skipped.total)} (${reasons.join(", ")})`]);
  }
  const languages = Object.entries(index.languages).sort(([, a], [, b]) => b.chunks - a.chunks);
  languages.slice(0, languagesShown).forEach(([language, { files, chunks }], i) => {
    rows.push([
      i === 0 ? "Languages:" : "",
      `${language}: ${plural(files, "file")}, ${plural(chunks, "chunk")}`,
    ]);
  });
  if (languages.length > languagesShown) rows.push(["", `and ${languages.length - languagesShown} more`]);
  return rows;
}

function queueRows({ queue }: StatusResponse): [string, string][] {
  const rows: [string, string][] = [
    ["Pending:", queue.code_is_idle ? "nothing, everything is indexed" : plural(queue.pending, "file")],
  ];
  if (queue.processing !== null) rows.push(["Processing:", queue.processing]);
  if (!queue.code_is_idle && queue.total > 0) {
    rows.push(["Done:", `${number(queue.done)} of ${plural(queue.total, "file")}`]);
    rows.push(["Rate:", `${queue.rate_chunks_per_sec} chunks/s`]);
    const left = queue.eta_seconds === null ? "unknown yet" : `about ${roughly(queue.eta_seconds)}`;
    rows.push(["Time left:", left]);
  }
  queue.recent.slice(0, recentShown).forEach(({ path, chunks, took_ms, skipped, at }, i) => {
    const done = skipped === null ? plural(chunks, "chunk") : `skipped: ${words(skipped)}`;
    const what = `${path} (${done}, ${humanDuration(took_ms)}) ${relativeTime(Date.parse(at))}`;
    rows.push([i === 0 ? "Recent:" : "", what]);
  });
  return rows;
}

function storageRows({ storage }: StatusResponse): [string, string][] {
  return [
    ["Index:", sizeOfIndex(storage) + (storage.place ? `, at ${storage.place}` : "")],
    ["Logs:", humanBytes(storage.log_bytes)],
  ];
}

/** The full text is measured when a pass has ended. */
function sizeOfIndex({ index_bytes, fts_bytes, vector_bytes = 0 }: StatusResponse["storage"]): string {
  const parts = [
    ...(fts_bytes > 0 ? [`${humanBytes(fts_bytes)} of it full text`] : []),
    ...(vector_bytes > 0 ? [`${humanBytes(vector_bytes)} vectors`] : []),
  ];
  return [humanBytes(index_bytes), ...parts].join(", ");
}

/** A line for each model in use, and one more for what keeps it from its work. */
function modelRows({ models }: StatusResponse): [string, string][] {
  return [
    ...rowsOf("Code:", models.embedding_code, models.code),
    ...rowsOf("Text:", models.embedding_text, models.text),
  ];
}

function rowsOf(of: string, setting: string, models: readonly Model[]): [string, string][] {
  if (models.length === 0) {
    if (setting !== "none") return [[of, `${setting}: nothing embedded yet`]];
    return [[of, `none: search uses words${of === "Code:" ? " and structure" : ""}`]];
  }
  return models.flatMap((model, i): [string, string][] => {
    const { message, usage } = model;
    const label = i === 0 ? of : "";
    const rows: [string, string][] = [[label, `${model.id}: ${progressOf(model)}`]];
    if (message !== null) rows.push(["", message]);
    if (usage !== null) rows.push(["", usageOf(usage)]);
    return rows;
  });
}

type Model = StatusResponse["models"]["code"][number];

function progressOf(model: Model): string {
  const done = `${number(model.chunks_embedded)} of ${plural(model.chunks_total, "chunk")} embedded`;
  const none = model.chunks_missing > 0 ? `${number(model.chunks_missing)} by words only` : "";
  const left = model.eta_seconds === null ? "" : `about ${roughly(model.eta_seconds)} left`;
  const state = { ready: "", embedding: left || "embedding", waiting: "waiting", unavailable: "unavailable" };
  return [done, none, state[model.state]].filter((part) => part !== "").join(", ");
}

function usageOf({ requests, tokens, dollars }: NonNullable<Model["usage"]>): string {
  const price = dollars === null ? "" : `, $${dollars.toFixed(4)}`;
  return `${plural(requests, "request")}, ${plural(tokens, "token")}${price} since the daemon started`;
}

/** How search is, and what does not work though it is set or expected to. */
export function healthLines(
  { health, models, memory, daemon, queue }: StatusResponse,
  colors: Palette,
): string[] {
  const asked = health.query_ms === null ? "" : `, a query took ${health.query_ms} ms just now`;
  const stateText = {
    healthy: `${tick("ok", colors)} works${asked}`,
    degraded: `${tick("ok", colors)} search works${asked}`,
    empty: `${tick("warn", colors)} ${daemon.has_open && queue.code_is_idle ? nothingIndexed : "nothing is indexed yet"}`,
    failing: `${tick("fail", colors)} the database is ${health.database}`,
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
  return [stateText[health.status], ...problems.map((text) => `${tick("warn", colors)} ${text}`)].map(
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
      const title = colors.bold(`${words(reason)} (${paths.length})`);
      return `${title}\n${paths.map((path) => `  ${path}`).join("\n")}`;
    })
    .join("\n\n");
}

const number = (value: number) => value.toLocaleString("en");
const plural = (count: number, unit: string) => `${number(count)} ${unit}${count === 1 ? "" : "s"}`;
const words = (reason: string) => reason.replaceAll("_", " ");

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
  const project = await seeProject(cwd);
  if (options.skipped) {
    const { skippedFiles } = await import("../search/code.ts");
    const skipped = await skippedFiles(project);
    output.result({ skipped }, () => renderSkipped(skipped, output.colors));
  } else if (options.watch) {
    await watch(project, output);
  } else {
    const found = await statusOf(project, options.check ? "fail" : "here");
    const status = await withGit(project, await withSharing(project, found));
    const used = output.json ? "" : await usedText(project);
    output.result(status, () => renderStatus(status, output, used));
  }
}

/** How often agents called Pommel lately, and whether they used what they were given; "" where nothing is recorded. */
async function usedText(project: Project): Promise<string> {
  // The status already shows why a memory cannot be read.
  const used = await call(showUsed, {}, project).catch(() => null);
  return used === null ? "" : wordUsed(used);
}

/** Says what is new since the memory was shared last, where it is shared. */
async function withSharing(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { notSharedText, notSharedYet } = await import("../share/not-shared.ts");
  // The status already shows why a memory cannot be read.
  const counts = await notSharedYet(project).catch(() => null);
  const text = counts === null ? null : notSharedText(counts);
  return text === null ? status : { ...status, notes: [...status.notes, `${text} Run \`pm share git\`.`] };
}

/** Says what keeps git from reading the repository. */
async function withGit(project: Project, status: StatusResponse): Promise<StatusResponse> {
  const { historyProblem } = await import("../../git/history/history.ts");
  const problem = await historyProblem(project.root);
  return problem?.isBroken ? { ...status, notes: [...status.notes, explanationOf(problem)] } : status;
}

async function statusOf(project: Project, without: "here" | "fail" = "here"): Promise<StatusResponse> {
  const reasons: string[] = [];
  const onHere = (why: UnreachableReason) => reasons.push(why);
  const status = await call(showStatus, {}, project, { without, onHere });
  if (status.daemon.running) return status;
  const autostart = autostartStatus(loadConfig(project).config["daemon.autostart"]);
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
    return showDashboard(() => statusOf(project), output.colors);
  }
  for (;;) {
    const status = await statusOf(project);
    if (output.json) process.stdout.write(`${JSON.stringify(status)}\n`);
    else process.stdout.write(`${renderStatus(status, output)}\n\n`);
    await sleep(refreshMs);
  }
}
