import { existsSync } from "node:fs";
import { basename } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Agent, TranscriptFile } from "../../agents/agent.ts";
import { agents, findAgentByName, setups } from "../../agents/registry.ts";
import type { PartName, SetupTarget } from "../../agents/setup.ts";
import { describeDaemon } from "../../answers/daemon/operation.ts";
import { listProjects } from "../../answers/known-projects.ts";
import type { ResponseOf } from "../../answers/operation.ts";
import { loadConfig } from "../../base/config/config.ts";
import { setConfig } from "../../base/config/config-edit.ts";
import { PommelError } from "../../base/errors.ts";
import { locateOwnConfig, refuseAnothers } from "../../base/home.ts";
import { isInside, type Project } from "../../base/paths.ts";
import { formatBytes } from "../../base/text/bytes.ts";
import { formatLocalTime } from "../../base/text/local-time.ts";
import { quoteForShell } from "../../base/text/shell.ts";
import { applyChanges, call } from "../../client/call.ts";
import { findOrStartDaemon } from "../../client/connect.ts";
import { rememberGone } from "../../git/projects/gone-checkout.ts";
import { loadRecordingConfig } from "../../git/projects/recorded.ts";
import { shortenSessionId } from "../../protocol/reading/short-id.ts";
import { type FileToRead, sortForReading } from "../../sessions/ingest/known-transcripts.ts";
import { findPastProject } from "../../sessions/ingest/past-project.ts";
import { listKeys, type PlannedChange, type PlannedPart, planParts, previewParts } from "../../setup/plan.ts";
import { enableSetups, makeUserPlace } from "../../setup/record.ts";
import { canAsk } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { interruptedCode } from "../../terminal/interruption.ts";
import { formatMark, type Output } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { renderDocument } from "../../terminal/render-document.ts";
import { formatCount, toHomeRelative, toOneLine } from "../../terminal/text.ts";
import { hookParts } from "../hook-parts.ts";
import { countGone, keepUnread, queueTranscripts } from "../import/operation.ts";
import { describeGone } from "../import/words.ts";
import { readRunning } from "../jobs/operation.ts";
import { wordRunningDaemon } from "../jobs/words.ts";
import { suggestQuestions } from "../page/operation.ts";
import { parseAgents } from "./init/choices.ts";
import type { OfferedSetting, SetupAnswers } from "./init/dialogue.ts";
import {
  type AgentOutcome,
  type ChangedPaths,
  describeAgents,
  putAndReport,
  stepPrinter,
} from "./init/steps.ts";

/** Who set Pommel up gets a first finding by then. Milliseconds since the command began. */
const setupEndsByMs = 60_000;
/** A daemon that still imports is slow: it gets at least so long for the finding. Milliseconds. */
const minFindingMs = 5000;

type CheckSetting = (typeof hookParts)[string]["setting"];
type Suggested = ResponseOf<typeof suggestQuestions>;

/** One thing that is known by now, and two questions as commands to copy; fewer where there is too little to ask about. */
async function suggestFirst(
  project: Project,
  cwd: string,
): Promise<Pick<SetupResult, "finding" | "questions">> {
  const pm = isInside(cwd, project.root) ? "pm" : `pm -C ${formatShellPath(project.root)}`;
  const timeout = Math.max(minFindingMs, setupEndsByMs - performance.now());
  const answer = await call(suggestQuestions, {}, project, { without: "fail", timeout }).catch(() => null);
  const asked = new Map(answer?.questions.map(({ about, q }) => [about, q]));
  const [sessions, line, code] = (["sessions", "line", "code"] as const).map((about) => asked.get(about));
  const questions = [
    ...(sessions === undefined ? [] : [`${pm} search sessions ${quoteForShell(sessions)}`]),
    ...(line !== undefined
      ? [`${pm} why ${formatShellPath(line)}`]
      : code !== undefined
        ? [`${pm} search ${quoteForShell(toOneLine(code))}`]
        : []),
  ];
  return { finding: answer?.finding ?? null, questions };
}

/** "You decided on 2 March 2026: “…”  (pm session show 1a2b3c4d:5)" */
function formatFinding({
  about,
  quote,
  session_id,
  turn,
  at,
  sessions,
}: NonNullable<Suggested["finding"]>): string {
  const day = at === null ? "" : ` on ${formatLocalTime(at).slice(0, 10)}`;
  const quoted = toOneLine(quote);
  const what = {
    decision: `You decided${day}: “${quoted}”`,
    command: `This worked in ${formatCount(sessions, "session")}, last${day}: ${quoted}`,
    file: `${formatCount(sessions, "session")} edited ${quoted}, the latest${day}`,
    session: `Your last session${day}: “${quoted}”`,
  }[about];
  return `${what}\n  (pm session show ${shortenSessionId(session_id)}:${turn})`;
}

/** As one types it: without quotes where none are needed. */
function formatShellPath(path: string): string {
  const shown = toHomeRelative(path);
  return /^[\w~./:@+-]+$/.test(shown) ? shown : quoteForShell(path);
}

interface PastProject {
  project: Project;
  transcripts: ({ agent: Agent; path: string } & FileToRead)[];
  /** Directories that are gone and were checkouts of it. */
  gone: Set<string>;
}

/** Past sessions of all projects on this machine. */
interface MachineSessions {
  projects: PastProject[];
  sessions: number;
  bytes: number;
  /** Of directories that are gone, or that are not recorded. */
  left: number;
}

/** How many transcripts are looked into at once. */
const maxParallelReads = 16;

/** Looks into the beginning of each transcript on this machine. */
async function findAllSessions(isWanted: (project: Project) => boolean): Promise<MachineSessions> {
  const byProject = new Map<string, MachineSessions["projects"][number]>();
  const known = new Map<string, Promise<Project | null>>();
  const found = { sessions: 0, bytes: 0, left: 0 };
  const add = async (agent: Agent, { path, size, mtimeMs }: TranscriptFile) => {
    const info = await agent.describe(path).catch(() => null);
    if (info === null) return;
    const asked = known.get(info.cwd) ?? findPastProject(agent, path, info.cwd).catch(() => null);
    known.set(info.cwd, asked);
    const project = await asked;
    if (project === null || !isWanted(project)) {
      if (info.parent === null) found.left++;
      return;
    }
    const of = byProject.get(project.id) ?? { project, transcripts: [], gone: new Set() };
    byProject.set(project.id, of);
    of.transcripts.push({ agent, path, size, mtimeMs, startedAt: info.startedAt });
    if (!existsSync(info.cwd)) of.gone.add(info.cwd);
    if (info.parent === null) found.sessions++;
    found.bytes += size;
  };
  for (const agent of agents) {
    for (const root of agent.listRoots()) {
      let batch: Promise<void>[] = [];
      for await (const file of agent.list(root)) {
        batch.push(add(agent, file));
        if (batch.length === maxParallelReads) await Promise.all(batch);
        if (batch.length === maxParallelReads) batch = [];
      }
      await Promise.all(batch);
    }
  }
  return { projects: [...byProject.values()], ...found };
}

/** Whether a project's sessions are recorded, once `record` is set. */
const isRecordedBy =
  (record: "all" | "named") =>
  (project: Project): boolean =>
    record === "all" || loadRecordingConfig(project).config["sessions.capture"];

/** Puts what is not read yet where no agent deletes it. */
async function keepPastSessions(output: Output): Promise<void> {
  const { problem } = await call(keepUnread, {}, null);
  if (problem !== null) output.note(toOneLine(problem, 300));
}

/** Has the daemon read them in the background: what is about to be deleted first, then what is of this project, then the newest. */
async function askToImport({ projects }: MachineSessions, cwd: string): Promise<void> {
  const requests = projects.flatMap(({ project, transcripts, gone }) => {
    for (const directory of gone) rememberGone(project, directory);
    const isHere = isInside(cwd, project.root);
    return [...new Set(transcripts.map((one) => one.agent))].map((agent) => {
      const ofAgent = transcripts.filter((one) => one.agent === agent);
      return { project, agent, files: sortForReading(agent, project.root, ofAgent, { isHere }) };
    });
  });
  requests.sort((a, b) => a.files[0]!.urgency - b.files[0]!.urgency);
  for (const { project, agent, files } of requests) await call(queueTranscripts, { agent, files }, project);
}

/** How many transcripts are gone that nobody had read. */
async function countGoneIn({ projects }: MachineSessions): Promise<number> {
  let gone = 0;
  for (const { project, transcripts } of projects)
    gone += await call(countGone, { paths: transcripts.map(({ path }) => path) }, project);
  return gone;
}

/** Who set Pommel up waits no longer; the daemon goes on. Milliseconds. */
const watchedFor = 45_000;

/** Shows how far the daemon is. @returns how many transcripts are left to read */
async function watchImport(total: number): Promise<number> {
  const progress = createProgress({ label: "Importing", unit: "transcripts" });
  const deadline = performance.now() + watchedFor;
  try {
    for (;;) {
      const { importing } = await call(describeDaemon, {}, null, { without: "fail" });
      if (importing === 0 || performance.now() > deadline) return importing;
      progress.update(Math.max(0, total - importing), total);
      await sleep(200);
    }
  } finally {
    progress.finish();
  }
}

interface SetupOptions {
  all?: boolean;
  named?: boolean;
  agent?: string;
  allow?: boolean;
  import?: boolean;
  dryRun?: boolean;
  yes?: boolean;
}

/** The JSON of `pm setup`; paths are relative to `home`. */
interface SetupResult extends ChangedPaths {
  home: string;
  dry_run: boolean;
  record: "all" | "named";
  /** Settings of what agents are told before they act, as far as it is on in all projects. */
  checks: string[];
  agents: AgentOutcome[];
  past: { sessions: number; projects: number; bytes: number; left: number } | null;
  /** Transcripts that the daemon is still reading. */
  importing: number;
  /** Transcripts that were deleted before they could be read. */
  gone: number;
  /** With --dry-run: what would be changed in files of agents. */
  changes: PlannedChange[] | null;
  /** One thing of this person's own past, with its evidence. */
  finding: Suggested["finding"];
  /** Commands worth trying, made from this person's own sessions and code. */
  questions: string[];
}

/** `pm setup`: the one set-up of a person. Everything it does can be done again, and undone. */
export async function setupCommand(
  { cwd, output }: CommandContext,
  options: SetupOptions,
): Promise<number | undefined> {
  if (options.all && options.named)
    throw new PommelError("usage", "Use either --all or --named.", "Give one of them.");
  const place = makeUserPlace();
  // The agents' files lie there, also where POMMEL_HOME is elsewhere.
  refuseAnothers(place.dir);
  let planned = await planWanted(place, options);
  const chosen = await choose(options, planned, output);
  if (chosen === null) return interruptedCode;
  const { record } = chosen;
  if (!options.dryRun) {
    await saveRecording(record);
    // Hooks are those that the checks need.
    if (await saveChecks(chosen.checks)) planned = await planWanted(place, options);
    // Before anything is read: an agent that is started now may delete what is old.
    if (options.import !== false) await keepPastSessions(output);
  }
  const past = options.import === false ? null : await findAllSessions(isRecordedBy(record));
  const result: SetupResult = {
    home: place.dir,
    dry_run: options.dryRun ?? false,
    record,
    checks: listChecks()
      .filter(({ isOn }) => isOn)
      .map(({ setting }) => setting),
    created: [],
    changed: [],
    already: [],
    agents: [],
    past: past && { ...pickFigures(past), projects: past.projects.length },
    importing: 0,
    gone: 0,
    changes: null,
    finding: null,
    questions: [],
  };
  if (options.dryRun) {
    result.changes = previewParts(planned);
    for (const line of preview(result.changes, record, past, output)) output.print(line);
    output.result(result, "\nNothing was changed (--dry-run).");
    return undefined;
  }
  output.print(`${formatMark("ok", output.colors)} ${recordText[record]}`);
  output.print(formatChecks(output));
  enableSetups(place);
  result.agents = describeAgents(await putAndReport(planned, stepPrinter(output, null, result, "~/")));
  await findOrStartDaemon();
  if (past !== null && past.sessions > 0) {
    await askToImport(past, cwd);
    const transcripts = past.projects.reduce((sum, one) => sum + one.transcripts.length, 0);
    result.importing = await watchImport(transcripts);
    result.gone = await countGoneIn(past);
    output.print(
      `${formatMark("ok", output.colors)} ${formatPastSessions(past)}: ${importText(result.importing)}`,
    );
    if (result.gone > 0) output.note(describeGone(result.gone));
  } else if (past !== null && past.left > 0) {
    output.note(`Skipped ${formatCount(past.left, "past session")}, ${whySkipped}.`);
  }
  const shown = past === null ? null : chooseProjectToShow(past, cwd);
  if (shown !== null) Object.assign(result, await suggestFirst(shown, cwd));
  const found = shown === null || output.json ? null : await call(readRunning, {}, shown);
  const running = found && renderDocument(wordRunningDaemon(found), { screen: output });
  output.result(result, () => formatClosing(result, running, output));
  return undefined;
}

async function saveRecording(record: "all" | "named"): Promise<void> {
  if (isRecording(record)) return;
  setConfig(null, "sessions.record", record, { global: true });
  await applyChanges(null);
}

const recordText = {
  all: "Sessions and commits of all your projects are recorded, on this machine only",
  named: "Sessions and commits are recorded in projects in which you run `pm init`",
} as const;

/** "✓ Told before an agent acts: rules, radar only in harbor (off: dead ends)" */
function formatChecks({ colors }: Output): string {
  const checks = listChecks();
  const onIn = listProjectsWithChecks();
  const whereOn = ({ setting, title, isOn }: OfferedSetting): string[] => {
    const name = title.toLowerCase();
    const projects = onIn.get(setting) ?? [];
    if (isOn) return [name];
    if (projects.length === 0) return [];
    const where = projects.length > 2 ? formatCount(projects.length, "project") : projects.join(" and ");
    return [`${name} only in ${where}`];
  };
  const on = checks.flatMap(whereOn).join(", ");
  const off = checks
    .filter((one) => whereOn(one).length === 0)
    .map(({ title }) => title.toLowerCase())
    .join(", ");
  if (on === "") return colors.dim(`  Off: ${off} (\`pm setup\` at a terminal asks for them)`);
  return `${formatMark("ok", colors)} Told before an agent acts: ${on}${off === "" ? "" : ` (off: ${off})`}`;
}

/** The parts of the agents that are used on this machine, or of those that were named. */
function planWanted(place: SetupTarget, { agent, allow = false }: SetupOptions): Promise<PlannedPart[]> {
  // The server says itself when to ask it; a file that all projects read would cost those without a past.
  const names: PartName[] = ["hooks", "mcp"];
  if (allow) names.push("permissions");
  const chosen = agent === undefined ? setups.filter((setup) => setup.isUsed(place)) : parseAgents(agent);
  return planParts(place, new Set(listKeys(chosen, names)), true);
}

/** Asks what the options leave open. @returns null when somebody left */
async function choose(
  { all, named, yes, dryRun }: SetupOptions,
  planned: readonly PlannedPart[],
  output: Output,
): Promise<SetupAnswers | null> {
  const checks = listChecks();
  if (all || named || yes || dryRun || !canAsk(output)) {
    const on = checks.filter(({ isOn }) => isOn).map(({ setting }) => setting);
    return { record: named ? "named" : "all", checks: new Set(on) };
  }
  const { askForSetup } = await import("./init/dialogue.ts");
  const titles = [...new Set(planned.map(({ part }) => part.title))];
  return askForSetup(titles.length === 0 ? "No agent found yet" : `Found ${titles.join(", ")}`, checks);
}

/** What agents can be told before they act, as features offer it, and whether it is on in all projects. */
function listChecks(): OfferedSetting[] {
  const { config } = loadConfig(null);
  return Object.values(hookParts).map(({ setting, offer }) => ({ setting, ...offer, isOn: config[setting] }));
}

/** By setting: the directories' names of the projects whose own settings turn it on. */
function listProjectsWithChecks(): Map<string, string[]> {
  const known = listProjects().filter(({ isGone }) => !isGone);
  return new Map(
    Object.values(hookParts).map(({ setting }) => [
      setting,
      known.flatMap(({ project }) => (isOnIn(project, setting) ? [basename(project.root)] : [])),
    ]),
  );
}

function isOnIn(project: Project, setting: CheckSetting): boolean {
  try {
    const { config, origin } = loadConfig(project);
    return config[setting] && origin[setting] === "project";
  } catch {
    // Commands in that project say what is invalid in its settings.
    return false;
  }
}

/** @param wanted settings of those that are to be on. @returns whether any was changed */
async function saveChecks(wanted: ReadonlySet<string>): Promise<boolean> {
  const changed = listChecks().filter(({ setting, isOn }) => isOn !== wanted.has(setting));
  for (const { setting, isOn } of changed) setConfig(null, setting, String(!isOn), { global: true });
  if (changed.length > 0) await applyChanges(null);
  return changed.length > 0;
}

/** Whether the user's configuration says so. */
function isRecording(record: "all" | "named"): boolean {
  const { config, origin } = loadConfig(null);
  return origin["sessions.record"] === "global" && config["sessions.record"] === record;
}

/** Every change that it would make. */
function preview(
  changes: readonly PlannedChange[],
  record: "all" | "named",
  past: MachineSessions | null,
  { colors }: Output,
): string[] {
  const settings = isRecording(record) ? [] : [`    + sessions.record = "${record}"`];
  const files = changes.flatMap(({ agent, part, file, is_new, lines, problem }) => [
    `  ~/${file}${is_new ? " (new)" : ""}: ${findAgentByName(agent)!.title}, ${part}${problem === null ? "" : `: ${problem}`}`,
    ...shortenDiff(lines).map((line) => colors.dim(`    ${line}`)),
  ]);
  return [
    recordText[record],
    ...(settings.length === 0 ? [] : [`  ${toHomeRelative(locateOwnConfig())}`, ...settings]),
    ...files,
    ...(past === null ? [] : [`${formatPastSessions(past)}: would be imported`]),
  ];
}

const pickFigures = ({ sessions, bytes, left }: MachineSessions) => ({ sessions, bytes, left });

/** The lines of a change that one looks at; `--json` has all of them. */
const shownLines = 12;

function shortenDiff(lines: readonly string[]): string[] {
  const shown = lines.length > shownLines ? lines.slice(0, shownLines / 2) : lines;
  const rest = lines.length - shown.length;
  return [
    ...shown.map((line) => `${line[0]} ${line.slice(1)}`),
    ...(rest === 0 ? [] : [`… ${rest} more lines (--json shows all)`]),
  ];
}

const whySkipped = "whose directories are gone or not recorded";

/** "137 past sessions of 2 projects (149.4 MB); skipped 135, whose directories are gone or not recorded" */
function formatPastSessions({ sessions, projects, bytes, left }: MachineSessions): string {
  const what = `${formatCount(sessions, "past session")} of ${formatCount(projects.length, "project")} (${formatBytes(bytes)})`;
  return left === 0 ? what : `${what}; skipped ${left}, ${whySkipped}`;
}

function importText(importing: number): string {
  return importing === 0
    ? "all imported"
    : `${formatCount(importing, "transcript")} to go, in the background (\`pm status\`)`;
}

/** The project that somebody is in, else the one with the most sessions. */
function chooseProjectToShow({ projects }: MachineSessions, cwd: string): Project | null {
  const [first] = projects.toSorted(
    (one, other) =>
      Number(isInside(cwd, other.project.root)) - Number(isInside(cwd, one.project.root)) ||
      other.transcripts.length - one.transcripts.length,
  );
  return first?.project ?? null;
}

/** @param running what the daemon is at for the project that is shown; null: there is none */
function formatClosing(
  { agents, finding, questions }: SetupResult,
  running: string | null,
  { colors }: Output,
): string {
  const lines = [
    ...(agents.length === 0
      ? [
          "No agent was found on this machine: run `pm setup` again when there is one, or name it with --agent.",
        ]
      : []),
    ...(finding === null ? [] : ["", formatFinding(finding)]),
    ...(running === null ? [] : ["", running]),
    "",
    questions.length === 0 ? "Look around:" : "Questions to try:",
    ...questions.map((question) => `  ${question}`),
    `  pm open${colors.dim("    the page: sessions, commits, who wrote what")}`,
    "",
    colors.dim("`pm disable --global` stops it and undoes this; `pm uninstall` removes everything."),
  ];
  return lines.join("\n");
}
