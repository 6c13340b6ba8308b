import { keyOf, type PutResult, partState, putPart } from "../../agents/setup/parts.ts";
import { readRecord, switchOn } from "../../agents/setup/record.ts";
import { type AgentSetup, type PartName, type Place, partNames, type SetupPart } from "../../agents/setup.ts";
import { setups } from "../../agents/setups.ts";
import { explanationOf, PommelError } from "../../project/errors.ts";
import { canAsk, confirm } from "../confirm.ts";
import { type Output, tick } from "../output.ts";
import type { AgentOutcome, ChangedPaths, PartOutcome, StepPrinter } from "./init-steps.ts";

/** What somebody said about agents on the command line. */
export interface AgentOptions {
  /** Names with commas between them. */
  agent?: string;
  /** True with --hooks, false with --no-hooks. */
  hooks?: boolean;
  mcp?: boolean;
  allow?: boolean;
  instructions?: boolean;
  yes?: boolean;
}

/** What to put where. */
export interface Wanted {
  setup: AgentSetup;
  parts: ReadonlySet<PartName>;
}

const flagged = { mcp: ["mcp"], allow: ["permissions"], instructions: ["instructions", "skill"] } as const;

/**
 * The agents by their names.
 * @throws PommelError `usage`
 */
function agentsNamed(text: string): AgentSetup[] {
  const known = `Name some of: ${setups.map(({ agent }) => agent).join(", ")}.`;
  const names = text.split(",").map((name) => name.trim().toLowerCase());
  const named = [...new Set(names.filter((name) => name !== ""))].map((name) => {
    const setup = setups.find(({ agent }) => agent === name);
    if (setup) return setup;
    throw new PommelError("usage", `There is no agent ${name} to set up.`, known);
  });
  if (named.length === 0) throw new PommelError("usage", "--agent names nobody.", known);
  return named;
}

/**
 * Whom to set up, and with what: as it was said; at a terminal whatever was not said is asked; elsewhere it is Claude
 * Code's hooks and no more, as nobody wants files in a repository by surprise.
 */
export async function chooseParts(place: Place, options: AgentOptions, output: Output): Promise<Wanted[]> {
  const asks = canAsk(output) && !options.yes;
  const chosen = await chooseAgents(place, options, asks);
  const parts = new Set<PartName>(options.hooks === false ? [] : ["hooks"]);
  for (const [flag, names] of Object.entries(flagged)) {
    if (options.yes || options[flag as keyof typeof flagged]) for (const name of names) parts.add(name);
  }
  const saidWhat = options.mcp || options.allow || options.instructions;
  if (asks && !saidWhat) for (const name of await askForParts(place, chosen)) parts.add(name);
  return chosen.map((setup) => ({ setup, parts }));
}

async function chooseAgents(place: Place, options: AgentOptions, asks: boolean): Promise<AgentSetup[]> {
  if (options.agent !== undefined) return agentsNamed(options.agent);
  const [claude, ...others] = setups as readonly [AgentSetup, ...AgentSetup[]];
  const used = others.filter((setup) => setup.isUsed(place));
  if (options.yes) return claude.isUsed(place) || used.length === 0 ? [claude, ...used] : used;
  const chosen = [claude];
  if (!asks) return chosen;
  for (const setup of used) {
    if (isComplete(place, setup, ["hooks"])) chosen.push(setup);
    else if (await confirm(`${setup.title} is used here, too. Set it up as well?`, true)) chosen.push(setup);
  }
  return chosen;
}

async function askForParts(place: Place, chosen: readonly AgentSetup[]): Promise<PartName[]> {
  const questions: [names: PartName[], question: string][] = [
    [["mcp"], "Register Pommel's MCP server, so that the agent can ask it"],
    [["permissions"], "Let it call these tools without asking you each time"],
    [["instructions", "skill"], "Tell it when to ask Pommel"],
  ];
  const agreed: PartName[] = [];
  for (const [names, question] of questions) {
    const files = chosen.flatMap((setup) =>
      setup.parts
        .filter((part) => names.includes(part.name) && !isComplete(place, setup, [part.name]))
        .map((part) => part.files(place)[0]!),
    );
    if (files.length === 0) continue;
    const where = [...new Set(files)].map((file) => file.replace(`${place.dir}/`, ""));
    if (await confirm(`${question} (${where.join(", ")})?`, true)) agreed.push(...names);
  }
  return agreed;
}

function isComplete(place: Place, setup: AgentSetup, names: readonly PartName[]): boolean {
  return setup.parts
    .filter(({ name }) => names.includes(name))
    .every((part) => partState(place, setup, part).state === "current");
}

/** Somebody wants agents set up and says so, also after `pm disable`. */
export function isAsked({ agent, hooks, mcp, allow, instructions, yes }: AgentOptions): boolean {
  return agent !== undefined || [hooks, mcp, allow, instructions, yes].includes(true);
}

interface AgentsStep {
  place: Place;
  wanted: readonly Wanted[];
  /** Somebody said so by name: also after `pm disable`. */
  asked: boolean;
  steps: StepPrinter;
  /** Paths go into its lists. */
  result: ChangedPaths;
  output: Output;
}

/** The agents that something is to be done for: what is wanted, and what an older Pommel wrote. */
export function agentsToSetUp(place: Place, wanted: readonly Wanted[]): AgentSetup[] {
  return setups.filter(
    (setup) =>
      wanted.some((one) => one.setup === setup && one.parts.size > 0) || staleParts(place, setup).length > 0,
  );
}

function staleParts(place: Place, setup: AgentSetup): SetupPart[] {
  return setup.parts.filter((part) => partState(place, setup, part).state === "outdated");
}

/** Puts what is wanted where it is missing, and renews what an older Pommel wrote; a warning where that fails. */
export function addAgents({ place, wanted, asked, steps, result, output }: AgentsStep): AgentOutcome[] {
  const isOff = readRecord(place).disabled && !asked;
  if (!isOff) switchOn(place);
  return agentsToSetUp(place, wanted).map((setup) => {
    steps.next(setup.title);
    const outcome: AgentOutcome = { agent: setup.agent };
    const done: PartName[] = [];
    const stale = staleParts(place, setup);
    const parts = wanted.find((one) => one.setup === setup)?.parts;
    for (const part of setup.parts) {
      if (!parts?.has(part.name) && !stale.includes(part)) continue;
      if (isOff && partState(place, setup, part).state === "absent") {
        outcome[part.name] = { state: "skipped", file: null, reason: "pm disable" };
        continue;
      }
      if (part.name !== "hooks" && setup.fromPlugin(place).includes(part.name)) {
        output.print(`      ${tick("ok", output.colors)} The plugin has it: ${inWords[part.name]}`);
        outcome[part.name] = { state: "skipped", file: null, reason: "the plugin has it" };
        continue;
      }
      outcome[part.name] = attempt(setup, part, output, () => {
        const put = putPart(place, setup, part);
        if (put.outcome === "created" || put.outcome === "changed") done.push(part.name);
        say(put, part, { steps, result, output });
        return put;
      });
    }
    if (Object.values(outcome).some((part) => typeof part === "object" && part.reason === "pm disable")) {
      output.print(`      ${tick("ok", output.colors)} Switched off (\`pm enable\` puts it back)`);
    }
    for (const line of setup.afterwards(place, done)) {
      output.note(`      ${tick("warn", output.colors)} ${line}`);
    }
    return outcome;
  });
}

function attempt(
  { title }: AgentSetup,
  { name }: SetupPart,
  output: Output,
  put: () => PutResult,
): PartOutcome {
  try {
    const { outcome, file, detail } = put();
    if (outcome === "kept") return { state: "kept", file, reason: detail.join("; ") };
    return { state: "installed", file, reason: null };
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    output.note(`      ${tick("warn", output.colors)} No ${name} for ${title}: ${explanationOf(error)}`);
    return { state: "failed", file: null, reason: error.message };
  }
}

/** For people, what each part is in its file. */
const inWords: Record<PartName, string> = {
  hooks: "hooks",
  mcp: "MCP server",
  permissions: "may call Pommel's tools",
  instructions: "when to ask Pommel",
  skill: "how to ask Pommel",
};

function say(
  { file, outcome, added, detail }: PutResult,
  { name }: SetupPart,
  { steps, result, output }: Pick<AgentsStep, "steps" | "result" | "output">,
): void {
  if (outcome === "kept") {
    output.note(`      ${tick("warn", output.colors)} ${file} stays as it is: ${detail.join("; ")}.`);
    return;
  }
  const what = inWords[name] + (added.length > 0 ? `: ${added.join(", ")}` : "");
  steps.done(result, outcome, file, what);
}

/** What is wanted again after `pm disable`: what it took out. */
export function takenBefore(place: Place): Wanted[] {
  const taken = new Set(readRecord(place).taken);
  return setups
    .map((setup) => ({
      setup,
      parts: new Set(
        partNames.filter((name) =>
          setup.parts.some((part) => part.name === name && taken.has(keyOf(setup, part))),
        ),
      ),
    }))
    .filter(({ parts }) => parts.size > 0);
}
