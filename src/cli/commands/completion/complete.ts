import { agentNames } from "../../../agents/profiles.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { withMemory } from "../../../queries/open.ts";
import { agentNamesIn } from "../../../queries/sessions/conversations-sessions.ts";
import { listCheckpoints } from "../../../store/memory/commits/checkpoints.ts";
import { eventsOf } from "../../../store/memory/events.ts";
import type { Memory } from "../../../store/memory/memory.ts";
import { branchesOfSessions, listSessions } from "../../../store/memory/sessions/sessions.ts";
import type { CommandContext } from "../../frame.ts";
import { oneLine, shortId } from "../../terminal/text.ts";
import type { Source } from "./tree.ts";

/** The latest are those that somebody means. */
const maxIds = 100;

type Candidates = (readonly [value: string, about?: string | null])[];

const inMemory: Record<Exclude<Source, "packages">, (memory: Memory) => Candidates> = {
  agents: (memory) => agentNamesIn(memory).map((name) => [name]),
  branches: (memory) => branchesOfSessions(memory).map((name) => [name]),
  sessions: (memory) =>
    listSessions(memory, { remembered: true, limit: maxIds }).map(({ uid, title }) => [shortId(uid), title]),
  checkpoints: (memory) =>
    listCheckpoints(memory, { limit: maxIds }).map(({ uid, commit }) => [uid, commit.subject]),
  events: (memory) =>
    eventsOf(memory)
      .slice(0, maxIds)
      .map(({ uid, title }) => [shortId(uid), title]),
};

/**
 * `pm complete <source>`: what the completion scripts offer, a line each: the value, and after a tab what it is. Whatever
 * goes wrong, it offers less, as a shell is no place for errors.
 */
export async function completeCommand({ cwd, output }: CommandContext, source: Source): Promise<void> {
  const found = await remembered(cwd, source).catch(() =>
    source === "agents" ? agentNames.map((name) => [name] as const) : [],
  );
  if (found.length === 0 && !output.json) return;
  output.result(
    found.map(([value]) => value),
    found.map(([value, about]) => (about ? `${value}\t${oneLine(about, 60)}` : value)).join("\n"),
  );
}

async function remembered(cwd: string, source: Source): Promise<Candidates> {
  const project = await findProject(cwd);
  if (source !== "packages") return withMemory(project, (memory) => inMemory[source](memory));
  const { listPackages } = await import("../../../queries/search/packages.ts");
  const { packages } = await listPackages(project, {});
  return packages.map(({ name, dir }) => [name, dir]);
}
