import { defaultAgentName } from "../../../agents/profiles.ts";
import { agents, setups } from "../../../agents/registry.ts";
import { isInHome, nameOf, partState, partsAt } from "../../../agents/setup/parts.ts";
import { readRecord } from "../../../agents/setup/record.ts";
import type { AgentSetup, PartName, Place } from "../../../agents/setup.ts";
import { gitHooksState } from "../../../git/hooks/state.ts";
import { PommelError } from "../../../project/errors.ts";
import type { Project } from "../../../project/paths.ts";
import { canAsk } from "../../terminal/ask.ts";
import { humanBytes, humanDuration, type Output } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { type FoundSessions, findPastSessions } from "../import/sources.ts";

/** Choices about agents on the command line. */
export interface AgentOptions {
  /** Names with commas between them. */
  agent?: string;
  /** True with --hooks, false with --no-hooks. */
  hooks?: boolean;
  mcp?: boolean;
  allow?: boolean;
  instructions?: boolean;
  /** In files that are the user's alone, or the team's. */
  local?: boolean;
  team?: boolean;
  yes?: boolean;
}

export interface InitOptions extends AgentOptions {
  languages?: string;
  start?: boolean;
  import?: boolean;
  global?: boolean;
}

/** What to put where. */
export interface Wanted {
  setup: AgentSetup;
  parts: ReadonlySet<PartName>;
}

/** What `pm init` is to do. */
export interface Choices {
  wanted: Wanted[];
  gitHooks: boolean;
  start: boolean;
  /** What to import; empty: nothing. */
  sessions: FoundSessions[];
  /** Files that are the user's alone; undefined: as it was set up before. */
  own: boolean | undefined;
  /** Somebody answered at a terminal. */
  asked: boolean;
}

const flagged = { mcp: ["mcp"], allow: ["permissions"], instructions: ["instructions", "skill"] } as const;

/**
 * The agents by their names.
 * @throws PommelError `usage`
 */
export function agentsNamed(text: string): AgentSetup[] {
  const known = `Choose from: ${setups.map(({ agent }) => agent).join(", ")}.`;
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  const named = [...new Set(names.filter((name) => name !== ""))].map((name) => {
    const setup = setups.find(({ agent }) => agent === name);
    if (setup) return setup;
    throw new PommelError("usage", `Unknown agent: ${name}.`, known);
  });
  if (named.length === 0) throw new PommelError("usage", "--agent is empty.", known);
  return named;
}

/** Somebody wants agents set up and says so, also after `pm disable`. */
export function isAsked({ agent, hooks, mcp, allow, instructions, yes, team, local }: AgentOptions): boolean {
  return agent !== undefined || [hooks, mcp, allow, instructions, yes, team, local].includes(true);
}

/** Whether to use the user's own files in a project, unless somebody says so: as it was set up before. */
export function isOwnByDefault(place: Place): boolean {
  const { own, files, taken } = readRecord(place);
  return own ?? (Object.keys(files).length === 0 && taken.length === 0);
}

/**
 * What to do: as the options say. At a terminal, asks for whatever they leave open; with --yes it is what would be offered
 * there; else it is Claude Code's hooks and git's and no more.
 * @returns null when somebody left the dialogue: nothing is to be changed
 * @throws PommelError `usage`
 */
export async function chooseSetup(
  project: Project,
  place: Place,
  options: InitOptions,
  output: Output,
): Promise<Choices | null> {
  if (options.local && options.team) {
    throw new PommelError("usage", "--local and --team exclude each other.", "Give one of them.");
  }
  const own = options.local ? true : options.team ? false : undefined;
  if (options.yes || canAsk(output))
    return askForChoices(project, { ...place, own: own ?? isOwnByDefault(place) }, options, own);
  const parts = chosenParts(options);
  return {
    wanted: agentsChosen(options).map((setup) => ({ setup, parts })),
    gitHooks: options.hooks ?? true,
    start: options.start ?? false,
    sessions: options.import ? await findPastSessions(project, true) : [],
    own,
    asked: false,
  };
}

/** Those that are named, else Claude Code's. */
function agentsChosen({ agent }: AgentOptions): AgentSetup[] {
  return agentsNamed(agent ?? defaultAgentName);
}

/** Those that are named, else those that are used, else Claude Code. */
function agentsToOffer(place: Place, { agent }: AgentOptions): AgentSetup[] {
  if (agent !== undefined) return agentsNamed(agent);
  const used = setups.filter((setup) => setup.isUsed(place));
  return used.length > 0 ? used : agentsNamed(defaultAgentName);
}

function chosenParts(options: AgentOptions): Set<PartName> {
  const parts = new Set<PartName>(options.hooks === false ? [] : ["hooks"]);
  for (const [flag, names] of Object.entries(flagged)) {
    if (options.yes || options[flag as keyof typeof flagged]) for (const name of names) parts.add(name);
  }
  return parts;
}

/** What can be ticked, besides the agents by their names. */
const offer = { start: "start", import: "import", git: "git", allow: "allow", instructions: "instructions" };

async function askForChoices(
  project: Project,
  place: Place,
  options: InitOptions,
  own: boolean | undefined,
): Promise<Choices | null> {
  const past =
    options.import === false ? [] : await findPastSessions(project, options.yes ?? options.import ?? false);
  const saysParts = !options.yes && (options.mcp || options.allow || options.instructions);
  const candidates = agentsToOffer(place, options);
  const parts = saysParts ? chosenParts(options) : new Set<PartName>(["mcp", ...chosenParts(options)]);
  const lacks = (setup: AgentSetup, names: Iterable<PartName>) => !isComplete(place, setup, new Set(names));
  const open = candidates.filter((setup) => lacks(setup, parts));
  const openFor = (...names: PartName[]) =>
    saysParts ? [] : candidates.filter((setup) => lacks(setup, names));
  const gitHooks = options.hooks === undefined ? await lacksGitHooks(project) : false;
  const offers: { value: string; label: string; hint?: string }[] = [];
  const add = (value: string, label: string, hint: string) => offers.push({ value, label, hint });
  if (options.start === undefined) add(offer.start, "Start", "index the code, and keep the index up to date");
  if (past.length > 0 && options.import === undefined) add(offer.import, ...sessionsText(past));
  for (const { agent, title } of open) add(agent, title, partsText(parts));
  if (openFor("permissions").length > 0)
    add(offer.allow, "Permission", "agents may use Pommel's tools without asking");
  if (openFor("instructions", "skill").length > 0)
    add(offer.instructions, "Instructions", "agents read when to use Pommel");
  if (gitHooks) add(offer.git, "Git hooks", "link commits to the sessions that led to them");
  const settled = {
    wanted: [],
    gitHooks: options.hooks ?? true,
    start: options.start ?? false,
    own,
    asked: !options.yes,
  };
  const always = options.import ? past : [];
  if (offers.length === 0) return { ...settled, sessions: always };
  const answers = options.yes
    ? { chosen: new Set(offers.map(({ value }) => value)), own: null }
    : await (await import("./dialogue.ts")).askWhatToSetUp({
        title: `Pommel in ${project.root}`,
        found: foundSummary(candidates, past, place),
        offers,
        audience: own !== undefined ? null : audienceOf(place, open),
      });
  if (answers === null) return null;
  const { chosen } = answers;
  const extra: PartName[] = [];
  if (chosen.has(offer.allow)) extra.push("permissions");
  if (chosen.has(offer.instructions)) extra.push("instructions", "skill");
  return {
    ...settled,
    wanted: candidates
      .filter((setup) => !open.includes(setup) || chosen.has(setup.agent))
      .map((setup) => ({ setup, parts: new Set([...(chosen.has(setup.agent) ? parts : []), ...extra]) })),
    gitHooks: gitHooks ? chosen.has(offer.git) : settled.gitHooks,
    start: options.start ?? chosen.has(offer.start),
    sessions: chosen.has(offer.import) ? past : always,
    own: answers.own ?? own,
  };
}

function isComplete(place: Place, setup: AgentSetup, names: ReadonlySet<PartName>): boolean {
  return partsAt(place, setup)
    .filter(({ name }) => names.has(name))
    .every(
      (part) =>
        partState(place, setup, part).state === "current" ||
        setup.fromPlugin(place).includes(part.name) ||
        isInHome(place, setup, part),
    );
}

async function lacksGitHooks(project: Project): Promise<boolean> {
  const { state } = await gitHooksState(project);
  return state === "absent" || state === "partial";
}

function partsText(parts: ReadonlySet<PartName>): string {
  const words = [parts.has("hooks") && "hooks", parts.has("mcp") && "MCP server"].filter(Boolean);
  return words.length === 0 ? "set it up" : words.join(" and ");
}

function sessionsText(past: readonly FoundSessions[]): [label: string, hint: string] {
  const sum = (count: (one: FoundSessions) => number) => past.reduce((total, one) => total + count(one), 0);
  const sessions = sum(({ preview }) => preview.sessions);
  const ms = sum(({ preview }) => preview.estimatedMs);
  const time = ms < 1000 ? "a second" : `about ${humanDuration(ms)}`;
  const size = humanBytes(sum(({ preview }) => preview.bytes));
  return [`Import ${counted(sessions, "past session")}`, `${size}, ${time}`];
}

/** "Claude Code: 24 past sessions", for every agent that is used here. */
function foundSummary(
  candidates: readonly AgentSetup[],
  past: readonly FoundSessions[],
  place: Place,
): string[] {
  const titles = new Map(agents.map(({ name, title }) => [name, title]));
  for (const { agent, title } of candidates) titles.set(agent, title);
  return [...titles].flatMap(([name, title]) => {
    const found = past.find(({ agent }) => agent.name === name);
    if (found) return [`${title}: ${counted(found.preview.sessions, "past session")} here`];
    const isUsed = setups.find(({ agent }) => agent === name)?.isUsed(place) ?? false;
    return isUsed ? [`${title}: no past sessions here`] : [];
  });
}

function audienceOf(place: Place, open: readonly AgentSetup[]) {
  const filesFor = (own: boolean) => {
    const files = open.flatMap(({ parts }) => parts[0]!.files({ ...place, own })[0]!);
    return [...new Set(files.map((file) => nameOf(place, file)))].join(", ");
  };
  return {
    values: new Set([...open.map(({ agent }) => agent), offer.allow, offer.instructions]),
    own: `not committed: ${filesFor(true)}`,
    team: `to commit: ${filesFor(false)}`,
    isOwn: isOwnByDefault(place),
  };
}
