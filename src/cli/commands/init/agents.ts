import { isAbsolute, join } from "node:path";
import { setups } from "../../../agents/registry.ts";
import {
  inOrderToTake,
  isInHome,
  keyOf,
  nameOf,
  type PutResult,
  partState,
  partsAt,
  putPart,
  takePart,
} from "../../../agents/setup/parts.ts";
import { readRecord, switchOn } from "../../../agents/setup/record.ts";
import {
  type AgentSetup,
  type PartName,
  type Place,
  partNames,
  type SetupPart,
} from "../../../agents/setup.ts";
import { trackedByGit } from "../../../git/hooks/exclude.ts";
import { explanationOf, PommelError } from "../../../project/errors.ts";
import { type Output, tick } from "../../terminal/output.ts";
import type { Wanted } from "./choices.ts";
import type { AgentOutcome, ChangedPaths, PartOutcome, StepPrinter } from "./steps.ts";

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

/** What to add or to update: wanted parts, and those that an older Pommel wrote. */
export function partsToAdd(place: Place, wanted: readonly Wanted[]): Wanted[] {
  return withMore(wanted, (setup) =>
    setup.parts.filter((part) => partState(place, setup, part).state === "outdated").map(({ name }) => name),
  );
}

/** Wanted parts and others of each agent, of those that have any. */
function withMore(wanted: readonly Wanted[], moreOf: (setup: AgentSetup) => PartName[]): Wanted[] {
  return setups.flatMap((setup) => {
    const chosen = wanted.find((one) => one.setup === setup)?.parts ?? [];
    const parts = new Set([...chosen, ...moreOf(setup)]);
    return parts.size > 0 ? { setup, parts } : [];
  });
}

/**
 * Removes the user's own setup from its files, so that it can move to the shared ones.
 * @returns the moved parts, and those that were wanted anyway
 */
export function movedToTeam(place: Place, wanted: readonly Wanted[]): Wanted[] {
  const moved = inOrderToTake(place, setups).filter(
    ([setup, part]) => takePart({ ...place, own: true }, setup, part).length > 0,
  );
  return withMore(wanted, (setup) => moved.flatMap(([whose, { name }]) => (whose === setup ? name : [])));
}

/** Adds missing parts, and updates those that an older Pommel wrote; a warning where that fails. */
export async function addAgents({
  place,
  wanted,
  asked,
  steps,
  result,
  output,
}: AgentsStep): Promise<AgentOutcome[]> {
  const isOff = readRecord(place).disabled && !asked;
  if (!isOff) switchOn(place);
  const tracked = place.own ? await trackedFiles(place) : new Set<string>();
  const indent = steps.isBrief ? "" : "      ";
  return partsToAdd(place, wanted).map(({ setup, parts }) => {
    steps.next(setup.title);
    const outcome: AgentOutcome = { agent: setup.agent };
    const done: PartName[] = [];
    for (const part of partsAt(place, setup)) {
      if (!parts.has(part.name)) continue;
      if (isOff && partState(place, setup, part).state === "absent") {
        outcome[part.name] = { state: "skipped", file: null, reason: "pm disable" };
        continue;
      }
      if (part.name !== "hooks" && setup.fromPlugin(place).includes(part.name)) {
        output.print(
          `      ${tick("ok", output.colors)} Provided by the plugin: ${describeAgent[part.name]}`,
        );
        outcome[part.name] = { state: "skipped", file: null, reason: "provided by the plugin" };
        continue;
      }
      if (isInHome(place, setup, part)) {
        outcome[part.name] = { state: "skipped", file: null, reason: inHome };
        continue;
      }
      const shared = partState(place, setup, part).state === "absent" ? part.files(place)[0]! : "";
      if (tracked.has(shared)) {
        const reason = `git tracks ${nameOf(place, shared)}: --team changes it for the whole team`;
        output.note(`      ${tick("warn", output.colors)} No ${part.name} for you alone: ${reason}.`);
        outcome[part.name] = { state: "skipped", file: null, reason };
        continue;
      }
      outcome[part.name] = attempt(setup, part, output, () => {
        const put = putPart(place, setup, part);
        if (put.outcome === "created" || put.outcome === "changed") done.push(part.name);
        say(put, part, { steps, result, output });
        return put;
      });
    }
    const skipped = new Set(Object.values(outcome).map((part) => typeof part === "object" && part.reason));
    if (skipped.has("pm disable"))
      output.print(`      ${tick("ok", output.colors)} Off (\`pm enable\` adds it again)`);
    if (skipped.has(inHome) && !steps.isBrief)
      output.print(`      ${tick("ok", output.colors)} Already set up for all projects`);
    for (const line of setup.afterwards(place, done)) {
      output.note(`${indent}${tick("warn", output.colors)} ${line}`);
    }
    return outcome;
  });
}

/** Why a part is not put into a project. */
const inHome = "set up for all projects";

/** Files of agents that everybody shares already: they cannot be the user's alone. Absolute. */
async function trackedFiles(place: Place): Promise<Set<string>> {
  const files = setups.flatMap((setup) =>
    partsAt(place, setup).map((part) => nameOf(place, part.files(place)[0]!)),
  );
  const tracked = await trackedByGit(
    place.dir,
    files.filter((file) => !isAbsolute(file)),
  );
  return new Set(tracked.map((file) => join(place.dir, file)));
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
const describeAgent: Record<PartName, string> = {
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
    output.note(`      ${tick("warn", output.colors)} ${file} was left as it is: ${detail.join("; ")}.`);
    return;
  }
  const what = describeAgent[name] + (added.length > 0 && !steps.isBrief ? `: ${added.join(", ")}` : "");
  steps.done(result, outcome, file, what);
}

/** What `pm disable` removed, to restore it. */
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
