import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { canAsk, confirm } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { toFileUrl } from "../../terminal/links.ts";
import { formatMark } from "../../terminal/output.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { formatCount, formatWhen, toHomeRelative, toOneLine } from "../../terminal/text.ts";
import { undoHint } from "../trash/pm-undo.ts";
import { describeEntry } from "../trash/undo.ts";
import {
  deleteProject,
  findProjectByName,
  joinProject,
  readMemorySize,
  splitCheckout,
  trashProjects,
} from "./known-projects.ts";
import { listProjects } from "./operation.ts";

const columns: Column[] = [
  { title: "project", wraps: true },
  { title: "used" },
  { title: "sessions", isNumber: true, optional: 2 },
  { title: "turns", isNumber: true, optional: 3 },
  { title: "origin", wraps: true, optional: 1 },
];

/** `pm projects`. */
export async function projectsListCommand({ output }: CommandContext): Promise<void> {
  const answer = await call(listProjects, {}, null, { without: "here" });
  const { projects, totals } = answer;
  output.result(answer, () => {
    if (projects.length === 0) return "No projects yet: search in one, or set Pommel up with `pm setup`.";
    const { colors } = output;
    const rows = projects.flatMap(({ name, checkouts, remote, sessions, turns, last_used_at }) => {
      const [first, ...others] = checkouts;
      const place = ({ root, is_gone }: { root: string; is_gone: boolean }) =>
        colors.link(
          is_gone ? colors.dim(toHomeRelative(root)) : colors.place(toHomeRelative(root)),
          is_gone ? null : toFileUrl(root),
        );
      const state = ({ is_gone }: { is_gone: boolean }, used: string) =>
        is_gone ? colors.warn("gone") : formatWhen(used, output);
      return [
        [
          first ? place(first) : name,
          first ? state(first, last_used_at) : colors.warn("gone"),
          sessions?.toLocaleString("en") ?? "",
          turns?.toLocaleString("en") ?? "",
          toOneLine(remote ?? ""),
        ],
        ...others.map((one) => [`  ${place(one)}`, state(one, one.last_used_at), "", "", ""]),
      ];
    });
    const { sessions, turns } = totals;
    const sum = `${formatCount(totals.projects, "project")}, ${formatCount(sessions, "session")}, ${formatCount(turns, "turn")}`;
    return `${formatTable(columns, rows, output)}\n\n${colors.dim(sum)}`;
  });
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
    output.result({ project: project.id, forgotten: false, sessions }, `Would delete ${what}.`);
    return 0;
  }
  if (!yes) {
    if (!canAsk(output)) {
      throw new PommelError(
        "usage",
        "There is no terminal to ask at.",
        "Run it with --yes, or preview it with --dry-run.",
      );
    }
    const question = forGood ? `Delete ${what}, its backups included?` : `Forget ${what}?`;
    if (!(await confirm(question, false))) {
      output.print("Nothing was deleted.");
      return 1;
    }
  }
  const trash = await withoutDaemon("pm projects forget", () =>
    forGood
      ? deleteProject(project)
      : describeEntry(trashProjects([project.id], "pm projects forget", `${project.id}, ${size}`)),
  );
  const fate = trash ? undoHint(trash) : "Nothing is kept, and it cannot be undone.";
  output.result(
    { project: project.id, forgotten: true, sessions, trash: trash ?? null },
    `${formatMark("ok", output.colors)} Forgotten. ${fate}\n  It is remembered anew when it is used again.`,
  );
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
  output.result({ root: from.root, project: into.id, trash }, () =>
    [
      `${formatMark("ok", output.colors)} ${toHomeRelative(from.root)} now shares the memory of ${into.id}.`,
      ...(trash ? [`  Its own is in the trash: ${undoHint(trash)}`] : []),
    ].join("\n"),
  );
}

/** `pm projects split <checkout>`: makes a checkout a project of its own. */
export async function projectsSplitCommand({ cwd, output }: CommandContext, checkout: string): Promise<void> {
  const from = findProjectByName(checkout, cwd);
  const id = await withoutDaemon("pm projects split", () => splitCheckout(from));
  output.result(
    { root: from.root, project: id },
    `${formatMark("ok", output.colors)} ${toHomeRelative(from.root)} is a project of its own now; what was recorded so far stays with the other.`,
  );
}
