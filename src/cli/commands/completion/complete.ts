import { agentNames } from "../../../agents/profiles.ts";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { Project } from "../../../project/paths.ts";
import type { CommandContext } from "../../frame.ts";
import { oneLine, shortId } from "../../terminal/text.ts";
import type { Source } from "./tree.ts";

/** The latest are those that somebody means. */
const maxIds = 100;

type Candidates = (readonly [value: string, about?: string | null])[];

/** A shell waits for it: no daemon is started. */
const here = { without: "here" } as const;

const candidates: Record<Source, (project: Project) => Promise<Candidates>> = {
  agents: async (project) => (await call("page", {}, project, here)).agents.map((name) => [name]),
  branches: async (project) => (await call("page", {}, project, here)).branches.map((name) => [name]),
  sessions: async (project) =>
    (await call("sessions", { limit: maxIds }, project, here)).sessions.map(({ id, title }) => [
      shortId(id),
      title,
    ]),
  checkpoints: async (project) =>
    (await call("checkpoints", { limit: maxIds }, project, here)).checkpoints.map(({ id, subject }) => [
      id,
      subject,
    ]),
  events: async (project) =>
    (await call("events", { status: "all" }, project, here)).events
      .slice(0, maxIds)
      .map(({ id, title }) => [shortId(id), title]),
  packages: async (project) =>
    (await call("packages", {}, project, here)).packages.map(({ name, dir }) => [name, dir]),
};

/**
 * `pm complete <source>`: what the completion scripts offer, a line each: the value, and after a tab what it is. Whatever
 * goes wrong, it offers less, as a shell is no place for errors.
 */
export async function completeCommand({ cwd, output }: CommandContext, source: Source): Promise<void> {
  const known = await findProject(cwd)
    .then((project) => candidates[source](project))
    .catch((): Candidates => []);
  // Those that Pommel supports, before any other of the memory.
  const others = known.filter(([name]) => !(agentNames as readonly string[]).includes(name));
  const found = source === "agents" ? [...agentNames.map((name) => [name] as const), ...others] : known;
  if (found.length === 0 && !output.json) return;
  output.result(
    found.map(([value]) => value),
    found.map(([value, about]) => (about ? `${value}\t${oneLine(about, 60)}` : value)).join("\n"),
  );
}
