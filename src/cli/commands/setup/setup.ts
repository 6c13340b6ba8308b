import { agents as knownAgents, setups } from "../../../agents/registry.ts";
import { nameOf, partState, partsAt } from "../../../agents/setup/parts.ts";
import { userPlace } from "../../../agents/setup/record.ts";
import type { PartName, Place } from "../../../agents/setup.ts";
import { call } from "../../../client/call.ts";
import { findOrStartDaemon } from "../../../client/connect.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { setConfig, unsetConfig } from "../../../project/config/config-edit.ts";
import { PommelError } from "../../../project/errors.ts";
import { homeOf } from "../../../project/home.ts";
import type { Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { canAsk } from "../../terminal/confirm.ts";
import { humanBytes, type Output, tick } from "../../terminal/output.ts";
import { counted, oneLine } from "../../terminal/text.ts";
import { addAgents } from "../init/agents.ts";
import { agentsNamed, type Wanted } from "../init/choices.ts";
import { type AgentOutcome, type ChangedPaths, interruptedCode, stepPrinter } from "../init/steps.ts";
import {
  askToImport,
  findAllSessions,
  isRecordedBy,
  type PastSessions,
  watchImport,
} from "./past-sessions.ts";

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
  agents: AgentOutcome[];
  past: { sessions: number; projects: number; bytes: number; left: number } | null;
  /** Transcripts that the daemon is still reading. */
  importing: number;
}

/** `pm setup`: the one set-up of a person. Everything it does can be done again, and undone. */
export async function setupCommand(
  { output }: CommandContext,
  options: SetupOptions,
): Promise<number | undefined> {
  if (options.all && options.named)
    throw new PommelError("usage", "--all and --named exclude each other.", "Give one of them.");
  const place = userPlace();
  const wanted = wantedAgents(place, options);
  const record = await chooseRecord(options, wanted, output);
  if (record === null) return interruptedCode;
  const past = options.import === false ? null : await findAllSessions(isRecordedBy(record));
  const result: SetupResult = {
    home: place.dir,
    dry_run: options.dryRun ?? false,
    record,
    ...{ created: [], changed: [], already: [], agents: [] },
    past: past && { ...figuresOf(past), projects: past.projects.length },
    importing: 0,
  };
  if (options.dryRun) {
    for (const line of preview(place, wanted, record, past)) output.print(line);
    output.result(result, "\nNothing was changed (--dry-run).");
    return undefined;
  }
  applyRecord(record);
  output.print(`${tick("ok", output.colors)} ${recordText[record]}`);
  const steps = stepPrinter(output, null);
  result.agents = await addAgents({ place, wanted, asked: true, steps, result, output });
  await findOrStartDaemon();
  if (past !== null && past.sessions > 0) {
    await askToImport(past);
    const transcripts = past.projects.reduce((sum, one) => sum + one.transcripts.length, 0);
    result.importing = await watchImport(transcripts);
    output.print(`${tick("ok", output.colors)} ${importText(past, result.importing)}`);
  }
  const questions =
    past === null ? [] : await questionsWorthAsking(past.projects.map(({ project }) => project));
  output.result(result, () => lastWords(result, questions, output));
  return undefined;
}

const recordText = {
  all: "Sessions and commits of all your projects are recorded, on this machine only",
  named: "Sessions and commits are recorded in projects that you name with `pm init`",
} as const;

/** Agents that are used on this machine, or those that were named. */
function wantedAgents(place: Place, { agent, allow = false }: SetupOptions): Wanted[] {
  const parts = new Set<PartName>(["hooks", "mcp", "instructions", "skill"]);
  if (allow) parts.add("permissions");
  const chosen = agent === undefined ? setups.filter((setup) => setup.isUsed(place)) : agentsNamed(agent);
  return chosen.map((setup) => ({ setup, parts }));
}

/** The one question. @returns null when somebody left */
async function chooseRecord(
  { all, named, yes, dryRun }: SetupOptions,
  wanted: readonly Wanted[],
  output: Output,
): Promise<"all" | "named" | null> {
  if (all || named) return all ? "all" : "named";
  if (yes || dryRun || !canAsk(output)) return "all";
  const { askWhatToRecord } = await import("../init/dialogue.ts");
  const titles = wanted.map(({ setup }) => setup.title);
  return askWhatToRecord(titles.length === 0 ? "No agent found yet" : `Found ${titles.join(", ")}`);
}

function applyRecord(record: "all" | "named"): void {
  setConfig(null, "sessions.record", record, { global: true });
  const { config, origin } = loadConfig(null);
  // What `pm disable --global` turned off.
  for (const key of ["sessions.capture", "git.checkpoints"] as const)
    if (!config[key] && origin[key] === "global") unsetConfig(null, key, { global: true });
}

function preview(
  place: Place,
  wanted: readonly Wanted[],
  record: "all" | "named",
  past: PastSessions | null,
): string[] {
  const files = wanted.flatMap(({ setup, parts }) =>
    partsAt(place, setup)
      .filter(({ name }) => parts.has(name))
      .filter((part) => partState(place, setup, part).state !== "current")
      .map((part) => `  ~/${nameOf(place, part.files(place)[0]!)}: ${setup.title}, ${part.name}`),
  );
  return [
    recordText[record],
    `  ${homeOf().configDir}/config.toml: sessions.record = "${record}"`,
    ...files,
    ...(past === null ? [] : [`Past sessions: ${importText(past, 0).replace(/^Imported/, "would import")}`]),
  ];
}

const figuresOf = ({ sessions, bytes, left }: PastSessions) => ({ sessions, bytes, left });

function importText(past: PastSessions, importing: number): string {
  const what = `${counted(past.sessions, "past session")} of ${counted(past.projects.length, "project")} (${humanBytes(past.bytes)})`;
  const left =
    past.left === 0
      ? ""
      : `; ${counted(past.left, "session")} of directories that are gone or not recorded left out`;
  return importing === 0
    ? `Imported ${what}${left}`
    : `Importing ${what} in the background, ${counted(importing, "transcript")} left${left}`;
}

/** Two questions that this person's own sessions and code answer. */
async function questionsWorthAsking(projects: readonly Project[]): Promise<string[]> {
  const [project] = projects;
  if (project === undefined) return [];
  const at = `pm -C ${project.root}`;
  const questions: string[] = [];
  try {
    const { sessions } = await call("sessions", { limit: 10 }, project, { without: "fail", timeout: 5000 });
    const title = sessions
      .map((one) => oneLine(one.title ?? "", 60))
      .find((text) => text.split(" ").length > 2);
    if (title !== undefined) questions.push(`${at} search sessions ${JSON.stringify(title)}`);
    const { checkpoints } = await call("checkpoints", { limit: 1 }, project, {
      without: "fail",
      timeout: 5000,
    });
    const [latest] = checkpoints;
    if (latest !== undefined) questions.push(`${at} checkpoint show ${latest.id}`);
    else questions.push(`${at} search "where is the main entry point"`);
  } catch {
    // The import goes on; what there is to ask is seen later.
  }
  return questions;
}

function lastWords({ agents }: SetupResult, questions: readonly string[], output: Output): string {
  const titles = new Map(knownAgents.map(({ name, title }) => [name, title]));
  const done = agents.map(({ agent }) => titles.get(agent) ?? agent);
  const lines = [
    ...(done.length === 0
      ? [
          "No agent was found on this machine: run `pm setup` again when there is one, or name it with --agent.",
        ]
      : []),
    "",
    ...(questions.length === 0 ? [] : ["Ask it something:", ...questions.map((question) => `  ${question}`)]),
    "  pm open    the page: sessions, commits, who wrote what",
    "",
    output.colors.dim("`pm disable --global` stops it and undoes this; `pm uninstall` removes everything."),
  ];
  return lines.join("\n");
}
