import { defaultAgentName } from "../../../agents/profiles.ts";
import { agents, setups } from "../../../agents/registry.ts";
import type { AgentSetup, PartName, SetupTarget } from "../../../agents/setup.ts";
import { PommelError } from "../../../base/errors.ts";
import type { Project } from "../../../base/paths.ts";
import { formatBytes } from "../../../base/text/bytes.ts";
import { formatDuration } from "../../../base/text/duration.ts";
import { call } from "../../../client/call.ts";
import { nameFile } from "../../../setup/agent-part.ts";
import { gitHooksKey } from "../../../setup/git-part.ts";
import { listKeys, listMissing } from "../../../setup/plan.ts";
import { readRecord } from "../../../setup/record.ts";
import { canAsk } from "../../../terminal/ask.ts";
import type { Output } from "../../../terminal/output.ts";
import { formatCount } from "../../../terminal/text.ts";
import { type FoundSessions, findPastSessions } from "../../import/operation.ts";

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

/** What `pm init` is to do. */
interface Choices {
  /** Keys of parts. */
  wanted: ReadonlySet<string>;
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
export function parseAgents(text: string): AgentSetup[] {
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
export function isOwnByDefault(place: SetupTarget): boolean {
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
  place: SetupTarget,
  options: InitOptions,
  output: Output,
): Promise<Choices | null> {
  if (options.local && options.team) {
    throw new PommelError("usage", "Use either --local or --team.", "Give one of them.");
  }
  const own = options.local ? true : options.team ? false : undefined;
  if (options.yes || canAsk(output))
    return askForChoices(project, { ...place, own: own ?? isOwnByDefault(place) }, options, own);
  const named = parseAgents(options.agent ?? defaultAgentName);
  return {
    wanted: new Set([
      ...listKeys(named, chooseParts(options)),
      ...(options.hooks === false ? [] : [gitHooksKey]),
    ]),
    start: options.start ?? false,
    sessions: options.import ? await call(findPastSessions, { isWanted: true }, project) : [],
    own,
    asked: false,
  };
}

/** Those that are named, else those that are used, else Claude Code. */
function chooseAgentsToOffer(place: SetupTarget, { agent }: AgentOptions): AgentSetup[] {
  if (agent !== undefined) return parseAgents(agent);
  const used = setups.filter((setup) => setup.isUsed(place));
  return used.length > 0 ? used : parseAgents(defaultAgentName);
}

function chooseParts(options: AgentOptions): Set<PartName> {
  const parts = new Set<PartName>(options.hooks === false ? [] : ["hooks"]);
  for (const [flag, names] of Object.entries(flagged)) {
    if (options.yes || options[flag as keyof typeof flagged]) for (const name of names) parts.add(name);
  }
  // What the server says itself is said once.
  if (parts.has("mcp")) parts.delete("skill");
  if (parts.has("mcp") && !options.instructions) parts.delete("instructions");
  return parts;
}

/** What can be ticked, besides the agents by their names. */
const offer = { start: "start", import: "import", git: "git", allow: "allow", instructions: "instructions" };

async function askForChoices(
  project: Project,
  place: SetupTarget,
  options: InitOptions,
  own: boolean | undefined,
): Promise<Choices | null> {
  const past =
    options.import === false
      ? []
      : await call(findPastSessions, { isWanted: options.yes ?? options.import ?? false }, project);
  const saysParts = !options.yes && (options.mcp || options.allow || options.instructions);
  const candidates = chooseAgentsToOffer(place, options);
  const parts = chooseParts(options);
  if (!saysParts) parts.add("mcp");
  const missing = await listMissing(place);
  const isLacking = (agents: readonly AgentSetup[], names: Iterable<PartName>) =>
    listKeys(agents, names).some((key) => missing.has(key));
  const open = candidates.filter((setup) => isLacking([setup], parts));
  const gitHooks = options.hooks === undefined && missing.has(gitHooksKey);
  const offers: { value: string; label: string; hint?: string }[] = [];
  const add = (value: string, label: string, hint: string) => offers.push({ value, label, hint });
  if (options.start === undefined) add(offer.start, "Start", "index the code, and keep the index up to date");
  if (past.length > 0 && options.import === undefined) add(offer.import, ...formatFoundSessions(past));
  for (const { agent, title } of open) add(agent, title, formatParts(parts));
  if (!saysParts && isLacking(candidates, flagged.allow))
    add(offer.allow, "Permission", "agents may use Pommel's tools without asking");
  if (!saysParts && !parts.has("mcp") && isLacking(candidates, flagged.instructions))
    add(offer.instructions, "Instructions", "agents read when to use Pommel");
  if (gitHooks) add(offer.git, "Git hooks", "link commits to the sessions that led to them");
  const always = options.import ? past : [];
  const answers =
    options.yes || offers.length === 0
      ? { chosen: new Set(offers.map(({ value }) => value)), own: null }
      : await (await import("./dialogue.ts")).askWhatToSetUp({
          title: `Pommel in ${project.root}`,
          found: summariseFound(candidates, past, place),
          offers,
          audience: own !== undefined ? null : buildAudienceChoice(place, open),
        });
  if (answers === null) return null;
  const { chosen } = answers;
  const settled = candidates.filter((setup) => !open.includes(setup) || chosen.has(setup.agent));
  const wanted = listKeys(
    settled.filter(({ agent }) => chosen.has(agent)),
    parts,
  );
  if (chosen.has(offer.allow)) wanted.push(...listKeys(settled, flagged.allow));
  if (chosen.has(offer.instructions)) wanted.push(...listKeys(settled, flagged.instructions));
  if (gitHooks ? chosen.has(offer.git) : options.hooks !== false) wanted.push(gitHooksKey);
  return {
    wanted: new Set(wanted),
    start: options.start ?? chosen.has(offer.start),
    sessions: chosen.has(offer.import) ? past : always,
    own: answers.own ?? own,
    asked: !options.yes,
  };
}

function formatParts(parts: ReadonlySet<PartName>): string {
  const words = [parts.has("hooks") && "hooks", parts.has("mcp") && "MCP server"].filter(Boolean);
  return words.length === 0 ? "set it up" : words.join(" and ");
}

function formatFoundSessions(past: readonly FoundSessions[]): [label: string, hint: string] {
  const sum = (count: (one: FoundSessions) => number) => past.reduce((total, one) => total + count(one), 0);
  const sessions = sum(({ preview }) => preview.sessions);
  const ms = sum(({ preview }) => preview.estimatedMs);
  const time = ms < 1000 ? "a second" : `about ${formatDuration(ms)}`;
  const size = formatBytes(sum(({ preview }) => preview.bytes));
  return [`Import ${formatCount(sessions, "past session")}`, `${size}, ${time}`];
}

/** "Claude Code: 24 past sessions", for every agent that is used here. */
function summariseFound(
  candidates: readonly AgentSetup[],
  past: readonly FoundSessions[],
  place: SetupTarget,
): string[] {
  const titles = new Map(agents.map(({ name, title }) => [name, title]));
  for (const { agent, title } of candidates) titles.set(agent, title);
  return [...titles].flatMap(([name, title]) => {
    const found = past.find(({ agent }) => agent.name === name);
    if (found) return [`${title}: ${formatCount(found.preview.sessions, "past session")} here`];
    const isUsed = setups.find(({ agent }) => agent === name)?.isUsed(place) ?? false;
    return isUsed ? [`${title}: no past sessions here`] : [];
  });
}

function buildAudienceChoice(place: SetupTarget, open: readonly AgentSetup[]) {
  const formatFilesFor = (own: boolean) => {
    const files = open.flatMap(({ parts }) => parts[0]!.files({ ...place, own })[0]!);
    return [...new Set(files.map((file) => nameFile(place, file)))].join(", ");
  };
  return {
    values: new Set([...open.map(({ agent }) => agent), offer.allow, offer.instructions]),
    own: `not committed: ${formatFilesFor(true)}`,
    team: `to commit: ${formatFilesFor(false)}`,
    isOwn: isOwnByDefault(place),
  };
}
