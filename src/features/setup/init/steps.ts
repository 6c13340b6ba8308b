import { basename, isAbsolute } from "node:path";
import type { PartName } from "../../../agents/setup.ts";
import { explainError } from "../../../base/errors.ts";
import type { NestedDirectory } from "../../../code/files/scan.ts";
import type { PutFile } from "../../../setup/part.ts";
import { type PlannedPart, type PutPart, putParts, switchedOff } from "../../../setup/plan.ts";
import { formatMark, type Output } from "../../../terminal/output.ts";
import { toHomeRelative } from "../../../terminal/text.ts";
import type { ImportedSessions } from "../../import/operation.ts";

/** `skipped`: not wanted, or provided otherwise; `kept`: somebody's own is in its place and stays. */
interface HooksOutcome {
  state: "installed" | "skipped" | "failed" | "kept";
  /** Why it is not installed; null when it is. */
  reason: string | null;
}

/** The result for a part. */
interface PartOutcome extends HooksOutcome {
  file: string | null;
}

export type AgentOutcome = { agent: string } & Partial<Record<PartName, PartOutcome>>;

/** The JSON of `pm init`; paths are relative to `root`. */
export interface InitResult {
  root: string;
  created: string[];
  changed: string[];
  /** The user's file of patterns of secrets, absolute; null when it could not be written. */
  patterns: string | null;
  already: string[];
  /** Claude Code's; those of all agents, with the rest, are in `agents`. */
  hooks: HooksOutcome;
  agents: AgentOutcome[];
  git_hooks: HooksOutcome;
  /** Projects, worktrees and repositories inside this project. */
  nested: NestedDirectory[];
  /** Whose files agents were set up in: the user's alone, or those that everybody shares. */
  scope: "local" | "team";
  /** Past sessions; null when not requested, or there are none. */
  imported: ImportedSessions | null;
  /** The daemon was started now; false when it ran already or was not requested. */
  started: boolean;
}

/** Results for files, by their paths. */
export type ChangedPaths = Pick<InitResult, "created" | "changed" | "already">;

export interface StepPrinter {
  /** Reports only changes, and briefly. */
  isBrief: boolean;
  next(title: string): void;
  /** Nothing was to be done, and why. */
  ok(text: string): void;
  warn(text: string): void;
  /** @param files in one directory */
  done(outcome: keyof ChangedPaths, files: readonly string[], detail?: string): void;
}

/**
 * @param total how many steps there are; null: somebody chose them a moment ago, and sees what changed in brief
 * @param result gets the paths
 * @param within what paths are relative to, for people: "~/"
 */
export function stepPrinter(
  output: Output,
  total: number | null,
  result: ChangedPaths,
  within = "",
): StepPrinter {
  const isBrief = total === null;
  const indent = isBrief ? "" : "      ";
  const ok = (text: string) => output.print(`${indent}${formatMark("ok", output.colors)} ${text}`);
  const verbs = { created: "Created", changed: "Changed", already: "Already set up:" };
  let step = 0;
  return {
    isBrief,
    next(title) {
      step++;
      if (!isBrief) output.print(`\n[${step}/${total}] ${title}`);
    },
    ok(text) {
      if (!isBrief) ok(text);
    },
    warn: (text) => output.note(`${indent}${formatMark("warn", output.colors)} ${text}`),
    done(outcome, files, detail) {
      result[outcome].push(...files);
      const [first = "", ...others] = files;
      const path = [first, ...others.map((file) => basename(file))].join(", ");
      const effect = detail === undefined ? "" : isBrief ? `: ${detail}` : ` (${detail})`;
      if (!isBrief) ok(`${verbs[outcome]} ${path}${effect}`);
      else if (outcome !== "already")
        ok(`${isAbsolute(path) ? toHomeRelative(path) : within + path}${effect}`);
    },
  };
}

/** Puts in what is planned, owner by owner, and reports it. */
export async function putAndReport(planned: readonly PlannedPart[], steps: StepPrinter): Promise<PutPart[]> {
  const all: PutPart[] = [];
  for (const owner of listOwners(planned)) {
    const parts = planned.filter(({ part }) => part.owner === owner);
    const { part } = parts[0]!;
    steps.next(part.title);
    const done = await putParts(parts);
    for (const one of done) reportPart(one, steps);
    const skipped = done.filter(({ state, error }) => state === "skipped" && error === null);
    for (const reason of new Set(skipped.map((one) => one.reason))) {
      const names = skipped.filter((one) => one.reason === reason).map((one) => describePart[one.part.name]);
      const what = reason === switchedOff ? "off (`pm enable` adds it again)" : reason;
      steps.ok(`Skipped ${names.join(", ")}: ${what}`);
    }
    const changed = done.filter(({ files }) => files.some(isChange)).map((one) => one.part.name);
    for (const line of part.describeNextSteps?.(changed) ?? []) steps.warn(line);
    all.push(...done);
  }
  return all;
}

export const listOwners = (planned: readonly PlannedPart[]): Set<string> =>
  new Set(planned.map(({ part }) => part.owner));

const isChange = ({ outcome }: PutFile) => outcome === "created" || outcome === "changed";

/** For people, what each part is in its file. */
const describePart: Record<PartName, string> = {
  hooks: "hooks",
  mcp: "MCP server",
  permissions: "may call Pommel's tools",
  instructions: "when to ask Pommel",
  skill: "how to ask Pommel",
};

function reportPart({ part, files, error }: PutPart, steps: StepPrinter): void {
  const isGits = part.owner === "git";
  if (error !== null)
    steps.warn(`${isGits ? "" : `No ${part.name} for ${part.title}: `}${explainError(error)}`);
  for (const { file, outcome, detail } of files)
    if (outcome === "kept") steps.warn(`${file} was left as it is: ${detail.join("; ")}.`);
  for (const outcome of ["created", "changed", "already"] as const) {
    const those = files.filter((one) => one.outcome === outcome);
    if (those.length === 0) continue;
    const added = those.flatMap((one) => one.added);
    const what =
      describePart[part.name] + (added.length > 0 && !steps.isBrief ? `: ${added.join(", ")}` : "");
    steps.done(
      outcome,
      those.map(({ file }) => file),
      isGits ? undefined : what,
    );
  }
}

/** What became of agents' parts, for JSON. */
export function describeAgents(done: readonly PutPart[]): AgentOutcome[] {
  const byAgent = new Map<string, AgentOutcome>();
  for (const { part, state, files, reason } of done) {
    if (part.owner === "git") continue;
    const outcome = byAgent.get(part.owner) ?? { agent: part.owner };
    outcome[part.name] = { state, file: files[0]?.file ?? null, reason };
    byAgent.set(part.owner, outcome);
  }
  return [...byAgent.values()];
}
