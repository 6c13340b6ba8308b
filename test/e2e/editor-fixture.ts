import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { Project } from "../../src/base/paths.ts";
import type { BlameAnswer } from "../../src/features/blame/operation.ts";
import { idOf } from "../support/transcript-fixture.ts";
import { createProject, pmJson, until, write } from "./daemon-fixture.ts";
import { sessionIn, transcriptDir } from "./sessions-fixture.ts";

/** A project for editors: `src/auth.ts` by Ann, whose second line an agent wrote anew in a session. */
export interface EditedProject {
  project: Project;
  session: string;
  /** Of the agent's commit. */
  hash: string;
  transcripts: string;
}

const before = "export function refresh() {\n  token = ask();\n}\n";
const old = "  token = ask();";
const now = "  token = withLock(() => ask());";

export async function editedProject(): Promise<EditedProject> {
  const project = createProject({});
  const session = idOf("refresh");
  const transcripts = transcriptDir(project);
  gitIn(project, ["init", "--quiet", "--initial-branch=main"]);
  write(project, "src/auth.ts", before);
  commitIn(project, "Start", "2026-03-02T08:00:00Z");
  const fixture = sessionIn(project, session, { start: "2026-03-02T09:00:00.000Z" });
  fixture.prompt("make token refresh *atomic*");
  fixture.reply("I wrap the request in the lock.");
  fixture.edit(join(project.root, "src/auth.ts"), old, now, 2);
  fixture.writeTo(transcripts);
  write(project, "src/auth.ts", before.replace(old, now));
  // As the prompt says it: the session has one title before its commit is known, and after.
  const hash = commitIn(project, "Make token refresh atomic", "2026-03-02T09:10:00Z");
  await pmJson(project, "import", "claude");
  await pmJson(project, "reindex");
  await until(async () => (await pmJson<BlameAnswer>(project, "blame", "src/auth.ts")).summary.agent > 0);
  return { project, session, hash, transcripts };
}

export function commitIn(project: Project, message: string, date: string): string {
  gitIn(project, ["add", "--all"]);
  gitIn(project, ["commit", "--quiet", "-m", message], { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date });
  return gitIn(project, ["rev-parse", "HEAD"]);
}

function gitIn({ root }: Project, args: readonly string[], env: Record<string, string> = {}): string {
  const options = ["-C", root, "-c", "user.name=Ann", "-c", "user.email=ann@example.com"];
  return execFileSync("git", [...options, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  }).trim();
}
