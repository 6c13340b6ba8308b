import { formatRelativeTime } from "../../base/text/relative-time.ts";
import type { Vanishing } from "../../protocol/vanishing.ts";
import { formatBytes, formatDuration } from "../../terminal/output.ts";
import { describeWaiting } from "../jobs/words.ts";
import type { StatusResponse } from "./operation.ts";

type Row = [string, string];

/** The memory, for a person. */
export function formatMemoryRows({ memory, daemon, models }: StatusResponse): Row[] {
  if (memory.problem !== null) return [["Problem:", memory.problem]];
  if (memory.sessions === 0 && memory.annotations === 0 && memory.jobs.is_idle) {
    return [["Sessions:", "none recorded yet"], ...formatVanishingRows(memory)];
  }
  const rows: Row[] = [
    [
      "Sessions:",
      `${formatInteger(memory.sessions)} (${formatPlural(memory.turns, "turn")}${formatByAgent(memory.agents)})`,
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
    rows.push(["Pending:", `${formatPlural(memory.jobs.pending, "job")}; no daemon works on them now`]);
  rows.push(formatContextRow(memory.context));
  const { dead } = memory.jobs;
  if (dead.length > 0) {
    const [first] = dead;
    const why = first?.error ?? "unknown reason";
    rows.push(["Failed:", `${formatPlural(dead.length, "job")}; the first: ${why}`]);
    rows.push(["", "`pm daemon queue` lists them, `pm daemon queue retry` retries them"]);
  }
  const grown = memory.growth_30d_bytes;
  const growth = grown === null ? "" : `, ${grown < 0 ? "-" : "+"}${formatBytes(Math.abs(grown))} in 30 days`;
  // A byte for each dimension.
  const vectors = models.text.reduce((sum, model) => sum + model.chunks_embedded * model.dimensions, 0);
  const ofIt = vectors === 0 ? "" : `, ${formatBytes(vectors)} of it vectors`;
  rows.push(["Storage:", `${formatBytes(memory.bytes)}${ofIt}${growth}`]);
  if (memory.needs_scrubbing)
    rows.push(["Scrubbing:", "the rules changed; the memory is being scrubbed again"]);
  return [...rows, ...recutRows(memory, daemon.running), ...formatLlmRows(memory.llm)];
}

/** "cutting 127 of 272 sessions again" */
function recutRows({ recut: { sessions, all } }: StatusResponse["memory"], isRunning: boolean): Row[] {
  if (sessions === 0) return [];
  const which = `${formatInteger(sessions)} of ${formatPlural(all, "session")}`;
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
}: StatusResponse["memory"]): Row[] {
  if (commits + waiting === 0) return [];
  const left = waiting > 0 ? `, ${formatInteger(waiting)} pending` : "";
  return [["Commits:", `${formatInteger(commits)} (${formatPlural(checkpoints, "checkpoint")})${left}`]];
}

/** Only where something would be lost. */
function formatVanishingRows({ vanishing, jobs }: StatusResponse["memory"]): Row[] {
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
}: Context): Row {
  const late =
    missed === 0 ? "" : `; ${formatPlural(missed, "answer")} came too late (\`pm session context\`)`;
  if (injections === 0) return ["Context:", mode === "off" ? "off" : `${mode}; nothing injected yet${late}`];
  const injectedLine = `injected ${formatPlural(injections_30d, "time")} in 30 days, about ${formatPlural(tokens_30d, "token")}`;
  return ["Context:", `${mode}; ${injectedLine}${late}`];
}

function formatJobRows({
  pending,
  running,
  is_idle,
  eta_seconds: eta,
  rate_chunks_per_sec: rate,
}: Jobs): Row[] {
  if (pending + running.length === 0) return [["Queue:", "nothing to do"]];
  if (is_idle) return [["Queue:", `${formatPlural(pending, "job")} for later, nothing to do now`]];
  const left =
    running.length > 0 && eta !== null && eta > 0 ? `, about ${formatRoughDuration(eta)} left` : "";
  const speed = running.length > 0 && rate > 0 ? `, ${rate} chunks/s` : "";
  const rows: Row[] = [["Queue:", `${formatPlural(pending, "job")} pending${speed}${left}`]];
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
}: StatusResponse["memory"]["llm"]): Row[] {
  if (model === "none") return [];
  const cost = dollars_today === null ? "" : `, $${dollars_today.toFixed(4)}`;
  return [
    [
      "Summaries by:",
      `${model}, ${formatInteger(tokens_today)} of ${formatInteger(daily_tokens)} tokens today${cost}`,
    ],
  ];
}

/** An estimate, without the precision it does not have: "8 s", "3m 12s". */
export function formatRoughDuration(seconds: number): string {
  return seconds < 60 ? `${Math.max(1, Math.round(seconds))} s` : formatDuration(seconds * 1000);
}

type Context = StatusResponse["memory"]["context"];
type Jobs = StatusResponse["memory"]["jobs"];

const formatInteger = (value: number) => value.toLocaleString("en");
const formatPlural = (count: number, unit: string) =>
  `${formatInteger(count)} ${unit}${count === 1 ? "" : "s"}`;
