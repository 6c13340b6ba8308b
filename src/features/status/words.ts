import {
  caution,
  type Document,
  factTable,
  faint,
  good,
  indentedLine,
  line,
  makeDocument,
  mark,
  type Paragraph,
  strong,
  type TextMark,
  title,
} from "../../answers/document.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatCount } from "../../base/text/counted.ts";
import { formatDuration, formatRoughDuration } from "../../base/text/duration.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { describeAutostart } from "../../protocol/reading/autostart.ts";
import type { Vanishing } from "../../protocol/vanishing.ts";
import { describeWaiting, describeWork } from "../jobs/words.ts";
import type { StatusResponse } from "./operation.ts";

/** Of an index that is up to date and holds no file. */
export const nothingIndexed =
  "nothing is indexed: what git, `.pommelignore` or `index.exclude` ignores is left out";

/** What something is called, and what it is like. */
type LabelledValue = [string, string];

/** The languages with the most chunks; the rest are counted. */
const languagesShown = 8;
const recentShown = 5;

/** The state of the daemon, the index, the memory and the models. @param used how far agents use Pommel; "": not known */
export function wordStatus(status: StatusResponse, used = "", now: readonly LabelledValue[] = []): Document {
  const memory: LabelledValue[] = [
    ...listMemoryRows(status),
    ...(used === "" ? [] : [["Used:", used] satisfies LabelledValue]),
  ];
  return makeDocument(
    wordHead(status),
    now.length > 0 && wordSection("Now", now),
    wordSection("Code index", listIndexRows(status)),
    status.daemon.has_open && wordSection("Queue", listQueueRows(status)),
    wordSection("Sessions and commits", memory),
    wordSection("Models", listModelRows(status)),
    wordSection("Storage", listStorageRows(status)),
    [title("Health"), ...wordHealth(status)],
    status.notes.length > 0 && [
      title("Notes"),
      ...status.notes.map((text) => indentedLine(2, 4, mark("warn"), " ", { text })),
    ],
  );
}

function wordHead({ version, project, daemon, health }: StatusResponse): Paragraph {
  const name = strong(`Pommel ${version}`);
  if (!daemon.running) {
    const start = daemon.autostart ? describeAutostart(daemon.autostart).join(" ") : "Run `pm daemon start`.";
    const hasIndex = health.status === "healthy" || health.status === "degraded";
    return [
      line(name, " - daemon: ", caution("not running"), " ", faint(`in ${project}`)),
      line(start),
      ...(hasIndex ? [line("Searches still work on the existing index.")] : []),
    ];
  }
  const up = `up ${formatDuration((daemon.uptime_seconds ?? 0) * 1000)}`;
  const memory = formatBytes(daemon.memory_bytes ?? 0);
  return [
    line(
      name,
      " - ",
      good("running"),
      ` (PID ${daemon.pid}, port ${daemon.port}, ${up}, ${memory} of memory)`,
    ),
    line(faint(project)),
    ...(daemon.has_open
      ? []
      : [line("It does not watch this directory now. The next command here makes it look for changes.")]),
  ];
}

const wordSection = (name: string, rows: readonly LabelledValue[]): Paragraph => [
  title(name),
  ...factTable(rows.map(([label, text]) => [label, { text }])),
];

function listIndexRows({ index }: StatusResponse): LabelledValue[] {
  const rows: LabelledValue[] = [
    ["Files:", formatInteger(index.total_files)],
    ["Chunks:", formatInteger(index.total_chunks)],
    [
      "Last indexed:",
      index.last_indexed === null ? "never" : formatRelativeTime(Date.parse(index.last_indexed)),
    ],
  ];
  if (index.partly_parsed > 0) {
    rows.push([
      "Partly parsed:",
      `${formatCount(index.partly_parsed, "file")} that the grammar could not read completely`,
    ]);
  }
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
      `${language}: ${formatCount(files, "file")}, ${formatCount(chunks, "chunk")}`,
    ]);
  });
  if (languages.length > languagesShown) rows.push(["", `and ${languages.length - languagesShown} more`]);
  return rows;
}

function listQueueRows({ queue }: StatusResponse): LabelledValue[] {
  const rows: LabelledValue[] = [
    ["Pending:", queue.code_is_idle ? "nothing, everything is indexed" : formatCount(queue.pending, "file")],
  ];
  if (queue.processing !== null) rows.push(["Processing:", queue.processing]);
  if (!queue.code_is_idle && queue.total > 0) {
    rows.push(["Done:", `${formatInteger(queue.done)} of ${formatCount(queue.total, "file")}`]);
    rows.push(["Rate:", `${queue.rate_chunks_per_sec} chunks/s`]);
    const left =
      queue.eta_seconds === null ? "unknown yet" : `about ${formatRoughDuration(queue.eta_seconds)}`;
    rows.push(["Time left:", left]);
  }
  queue.recent.slice(0, recentShown).forEach(({ path, chunks, took_ms, skipped, at }, i) => {
    const done = skipped === null ? formatCount(chunks, "chunk") : `skipped: ${toSpacedWords(skipped)}`;
    const what = `${path} (${done}, ${formatDuration(took_ms)}) ${formatRelativeTime(Date.parse(at))}`;
    rows.push([i === 0 ? "Recent:" : "", what]);
  });
  return rows;
}

function listStorageRows({ storage }: StatusResponse): LabelledValue[] {
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
function listModelRows({ models }: StatusResponse): LabelledValue[] {
  return [
    ...formatModelRows("Code:", models.embedding_code, models.code),
    ...formatModelRows("Text:", models.embedding_text, models.text),
  ];
}

function formatModelRows(of: string, setting: string, models: readonly Model[]): LabelledValue[] {
  if (models.length === 0) {
    if (setting !== "none") return [[of, `${setting}: nothing embedded yet`]];
    return [[of, `none: search uses words${of === "Code:" ? " and structure" : ""}`]];
  }
  return models.flatMap((model, i): LabelledValue[] => {
    const { message, usage } = model;
    const label = i === 0 ? of : "";
    const rows: LabelledValue[] = [[label, `${model.id}: ${formatModelProgress(model)}`]];
    if (message !== null) rows.push(["", message]);
    if (usage !== null) rows.push(["", formatModelUsage(usage)]);
    return rows;
  });
}

type Model = StatusResponse["models"]["code"][number];

function formatModelProgress(model: Model): string {
  const done = `${formatInteger(model.chunks_embedded)} of ${formatCount(model.chunks_total, "chunk")} embedded`;
  const none = model.chunks_missing > 0 ? `${formatInteger(model.chunks_missing)} by words only` : "";
  const left = model.eta_seconds === null ? "" : `about ${formatRoughDuration(model.eta_seconds)} left`;
  const state = { ready: "", embedding: left || "embedding", waiting: "waiting", unavailable: "unavailable" };
  return [done, none, state[model.state]].filter((part) => part !== "").join(", ");
}

function formatModelUsage({ requests, tokens, dollars }: NonNullable<Model["usage"]>): string {
  const price = dollars === null ? "" : `, $${dollars.toFixed(4)}`;
  return `${formatCount(requests, "request")}, ${formatCount(tokens, "token")}${price} since the daemon started`;
}

/** How search is, and what does not work though it is set or expected to. */
export function wordHealth({ health, models, memory, daemon, queue }: StatusResponse): Paragraph {
  const asked = health.query_ms === null ? "" : `, a query took ${health.query_ms} ms just now`;
  const states = {
    healthy: ["ok", `works${asked}`],
    degraded: ["ok", `search works${asked}`],
    empty: ["warn", daemon.has_open && queue.code_is_idle ? nothingIndexed : "nothing is indexed yet"],
    failing: ["fail", `the database is ${health.database}`],
  } as const satisfies Record<StatusResponse["health"]["status"], readonly [TextMark, string]>;
  const unavailable = [...models.code, ...models.text].filter(({ state }) => state === "unavailable");
  const problems = new Set([
    ...unavailable.map(({ id, message }) => `${id} is not used: ${message ?? "it is not available."}`),
    ...(memory.llm.problem === null ? [] : [`${memory.llm.model} is not used: ${memory.llm.problem}`]),
    ...(memory.captures
      ? []
      : ["Sessions are not recorded here: `pm init` turns it on, unless sessions.capture is false."]),
  ]);
  return [states[health.status], ...[...problems].map((text) => ["warn", text] as const)].map(
    ([state, text]) => indentedLine(2, 4, mark(state), " ", { text }),
  );
}

/** The files that are left out, by reason. */
export function wordSkipped(files: readonly { path: string; reason: string }[]): Document {
  if (files.length === 0) return [[line("No files were skipped.")]];
  const byReason = new Map<string, string[]>();
  for (const { path, reason } of files) byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  return [...byReason]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([reason, paths]) => [
      title(`${toSpacedWords(reason)} (${paths.length})`),
      ...paths.map((path) => indentedLine(2, 2, { text: path })),
    ]);
}

const formatInteger = (value: number) => value.toLocaleString("en");
const toSpacedWords = (reason: string) => reason.replaceAll("_", " ");

/** The memory, for a person. */
function listMemoryRows({ memory, daemon, models }: StatusResponse): LabelledValue[] {
  if (memory.problem !== null) return [["Problem:", memory.problem]];
  if (memory.sessions === 0 && memory.annotations === 0 && memory.jobs.is_idle) {
    return [["Sessions:", "none recorded yet"], ...formatVanishingRows(memory)];
  }
  const rows: LabelledValue[] = [
    [
      "Sessions:",
      `${formatInteger(memory.sessions)} (${formatCount(memory.turns, "turn")}${formatByAgent(memory.agents)})`,
    ],
    ["Chunks:", formatInteger(memory.chunks)],
    ["Notes:", formatInteger(memory.annotations)],
    ["Summaries:", formatInteger(memory.summaries)],
    ...formatCommitRows(memory),
    [
      "Last session:",
      memory.last_updated === null ? "none" : formatRelativeTime(Date.parse(memory.last_updated)),
    ],
  ];
  rows.push(...formatVanishingRows(memory));
  if (daemon.has_open) rows.push(...formatJobRows(memory.jobs));
  else if (memory.jobs.pending > 0)
    rows.push(["Pending:", `${formatCount(memory.jobs.pending, "job")}; no daemon works on them now`]);
  rows.push(formatContextRow(memory.context));
  const { dead } = memory.jobs;
  if (dead.length > 0) {
    const [first] = dead;
    const why = first?.error ?? "unknown reason";
    rows.push(["Failed:", `${formatCount(dead.length, "job")}; the first: ${why}`]);
    rows.push(["", "`pm daemon queue` lists them, `pm daemon queue retry` retries them"]);
  }
  const grown = memory.growth_30d_bytes;
  const growth = grown === null ? "" : `, ${grown < 0 ? "-" : "+"}${formatBytes(Math.abs(grown))} in 30 days`;
  // A byte for each dimension.
  const vectors = models.text.reduce((sum, model) => sum + model.chunks_embedded * model.dimensions, 0);
  const ofIt = vectors === 0 ? "" : `, ${formatBytes(vectors)} of it vectors`;
  rows.push(["Storage:", `${formatBytes(memory.bytes)}${ofIt}${growth}`]);
  if (memory.needs_scrubbing)
    rows.push(["Scrubbing:", "the patterns changed; the memory is being scrubbed again"]);
  return [...rows, ...recutRows(memory, daemon.running), ...formatLlmRows(memory.llm)];
}

/** "cutting 127 of 272 sessions again" */
function recutRows(
  { recut: { sessions, all } }: StatusResponse["memory"],
  isRunning: boolean,
): LabelledValue[] {
  if (sessions === 0) return [];
  const which = `${formatInteger(sessions)} of ${formatCount(all, "session")}`;
  return [
    ["Chunks:", isRunning ? `cutting ${which} again` : `${which} to be cut again; no daemon is running`],
  ];
}

/** "; claude 12, codex 3"; nothing where there is but one. */
function formatByAgent(agents: StatusResponse["memory"]["agents"]): string {
  const counts = Object.entries(agents).map(([agent, n]) => `${agent} ${formatInteger(n)}`);
  return counts.length < 2 ? "" : `; ${counts.join(", ")}`;
}

function formatCommitRows({
  commits,
  checkpoints,
  commits_waiting: waiting,
}: StatusResponse["memory"]): LabelledValue[] {
  if (commits + waiting === 0) return [];
  const left = waiting > 0 ? `, ${formatInteger(waiting)} pending` : "";
  return [["Commits:", `${formatInteger(commits)} (${formatCount(checkpoints, "checkpoint")})${left}`]];
}

/** Only where something would be lost. */
function formatVanishingRows({ vanishing, jobs }: StatusResponse["memory"]): LabelledValue[] {
  const lost = (vanishing ?? []).filter(isLosing);
  const isReading = [...jobs.waiting, ...jobs.running].some(({ kind }) => kind === "transcript");
  return lost.map((one, i) => [
    i === 0 ? "Expiring:" : "",
    `${formatVanishing(one)} ${isReading ? "Transcripts are being read now." : `Import the rest: \`pm import ${one.agent}\``}`,
  ]);
}

/** Whether sessions would be lost. */
export const isLosing = ({ sessions, stored, kept }: Vanishing): boolean => stored + kept < sessions;

/** "14 sessions expire in Claude Code within 7 days; 12 are imported, 1 is kept until it is read." */
export function formatVanishing({ title, sessions, stored, kept, within_days }: Vanishing): string {
  const vanish = sessions === 1 ? "1 session expires" : `${formatInteger(sessions)} sessions expire`;
  const are = stored === 0 ? "none is" : stored === 1 ? "1 is" : `${formatInteger(stored)} are`;
  const safe =
    kept === 0
      ? ""
      : kept === 1
        ? ", 1 is kept until it is read"
        : `, ${formatInteger(kept)} are kept until they are read`;
  return `${vanish} in ${title} within ${within_days} days; ${are} imported${safe}.`;
}

/** Automatic context: what was injected into sessions. */
function formatContextRow({
  mode,
  injections,
  injections_30d,
  tokens_30d,
  missed_30d: missed,
}: ContextStatus): LabelledValue {
  const late =
    missed === 0 ? "" : `; ${formatCount(missed, "answer")} came too late (\`pm session context\`)`;
  if (injections === 0) return ["Context:", mode === "off" ? "off" : `${mode}; nothing injected yet${late}`];
  const injectedLine = `injected ${formatCount(injections_30d, "time")} in 30 days, about ${formatCount(tokens_30d, "token")}`;
  return ["Context:", `${mode}; ${injectedLine}${late}`];
}

function formatJobRows({
  pending,
  running,
  is_idle,
  eta_seconds: eta,
  rate_chunks_per_sec: rate,
}: Jobs): LabelledValue[] {
  if (pending + running.length === 0) return [["Queue:", "nothing to do"]];
  if (is_idle) return [["Queue:", `${formatCount(pending, "job")} for later, nothing to do now`]];
  const left =
    running.length > 0 && eta !== null && eta > 0 ? `, about ${formatRoughDuration(eta)} left` : "";
  const speed = running.length > 0 && rate > 0 ? `, ${rate} chunks/s` : "";
  const rows: LabelledValue[] = [["Queue:", `${formatCount(pending, "job")} pending${speed}${left}`]];
  running.forEach(({ kind, subject, done, total, waits_for }, i) => {
    const share = total > 0 ? ` ${Math.floor((100 * done) / total)} %` : "";
    const facts = [`${kind} ${subject}${share}`, describeWaiting({ waits_for })].filter(
      (fact) => fact !== "",
    );
    rows.push([i === 0 ? "Running:" : "", facts.join(", ")]);
  });
  return rows;
}

function formatLlmRows({
  model,
  tokens_today,
  daily_tokens,
  dollars_today,
}: StatusResponse["memory"]["llm"]): LabelledValue[] {
  if (model === "none") return [];
  const cost = dollars_today === null ? "" : `, $${dollars_today.toFixed(4)}`;
  return [
    [
      "Summaries by:",
      `${model}, ${formatInteger(tokens_today)} of ${formatInteger(daily_tokens)} tokens today${cost}`,
    ],
  ];
}

type ContextStatus = StatusResponse["memory"]["context"];
type Jobs = StatusResponse["memory"]["jobs"];

/** What is not finished, a line each: while there is any, not all is well. */
export function listUnfinished({ daemon, queue, memory, models }: StatusResponse): string[] {
  const { commits_waiting: commits, recut } = memory;
  const chunks = [...models.code, ...models.text].reduce((sum, model) => sum + model.chunks_pending, 0);
  return [
    ...(daemon.has_open ? describeWork(queue, memory.jobs) : ["nothing watches the code for changes now"]),
    ...(commits === 0 ? [] : [`${formatCount(commits, "commit")} not analysed yet`]),
    ...(chunks === 0 ? [] : [`${formatCount(chunks, "chunk")} found only by their words so far`]),
    ...(recut.sessions === 0 ? [] : [`${formatCount(recut.sessions, "session")} to be cut again`]),
  ];
}
