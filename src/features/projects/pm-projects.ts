import { doneLine, line } from "../../answers/document.ts";
import { describeEntry } from "../../answers/trash-entry.ts";
import { trashProjects } from "../../answers/trash-projects.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { agree } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount, toHomeRelative } from "../../terminal/text.ts";
import { undoHint } from "../trash/words.ts";
import {
  deleteProject,
  findProjectByName,
  joinProject,
  readMemorySize,
  splitCheckout,
} from "./known-projects.ts";
import { listProjects } from "./operation.ts";
import { wordProjects } from "./words.ts";

/** `pm projects`. */
export async function projectsListCommand({ output }: CommandContext): Promise<void> {
  const answer = await call(listProjects, {}, null, { without: "here" });
  showAnswer(output, answer, () => wordProjects(answer));
}

/** `pm projects forget <project>`: takes away what is remembered of it, after asking. */
export async function projectsForgetCommand(
  { cwd, output }: CommandContext,
  name: string,
  { yes = false, dryRun = false, forGood = false }: { yes?: boolean; dryRun?: boolean; forGood?: boolean },
): Promise<number> {
  const project = findProjectByName(name, cwd);
  const { sessions } = await readMemorySize(project);
  const size = sessions === null ? "nothing recorded" : formatCount(sessions, "session");
  const what = `${project.dataDir}: ${size}`;
  if (dryRun) {
    const value = { project: project.id, forgotten: false, sessions };
    showAnswer(output, value, () => [[line("Would delete ", { text: what }, ".")]]);
    return 0;
  }
  const question = forGood ? `Delete ${what}, its backups included?` : `Forget ${what}?`;
  if (!yes && !(await agree(output, "This command asks first", question))) return 1;
  const trash = await withoutDaemon("pm projects forget", () =>
    forGood
      ? deleteProject(project)
      : describeEntry(trashProjects([project.id], "pm projects forget", `${project.id}, ${size}`)),
  );
  const fate = trash ? undoHint(trash) : "Nothing is kept, and it cannot be undone.";
  const value = { project: project.id, forgotten: true, sessions, trash: trash ?? null };
  showAnswer(output, value, () => [
    [doneLine("Forgotten. ", fate), line("  If you use the project again, it starts with an empty memory.")],
  ]);
  return 0;
}

/** `pm projects join <checkout> <project>`: has a checkout share the memory of another project. */
export async function projectsJoinCommand(
  { cwd, output }: CommandContext,
  checkout: string,
  project: string,
): Promise<void> {
  const [from, into] = [findProjectByName(checkout, cwd), findProjectByName(project, cwd)];
  const entry = await withoutDaemon("pm projects join", () => joinProject(from, into));
  const trash = entry && describeEntry(entry);
  showAnswer(output, { root: from.root, project: into.id, trash }, () => [
    [
      doneLine({ text: toHomeRelative(from.root) }, ` now shares the memory of ${into.id}.`),
      ...(trash ? [line(`  Its own is in the trash: ${undoHint(trash)}`)] : []),
    ],
  ]);
}

/** `pm projects split <checkout>`: makes a checkout a project of its own. */
export async function projectsSplitCommand({ cwd, output }: CommandContext, checkout: string): Promise<void> {
  const from = findProjectByName(checkout, cwd);
  const id = await withoutDaemon("pm projects split", () => splitCheckout(from));
  showAnswer(output, { root: from.root, project: id }, () => [
    [
      doneLine(
        { text: toHomeRelative(from.root) },
        " is a project of its own now; what was recorded so far stays with the other.",
      ),
    ],
  ]);
}
