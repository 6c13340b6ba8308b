import { resolve } from "node:path";
import { PommelError } from "../../../project/errors.ts";
import { forgetProjects, listProjects, memorySize } from "../../../queries/known-projects.ts";
import type { CommandContext } from "../../frame.ts";
import { fileUrl } from "../../terminal/links.ts";
import { tick } from "../../terminal/output.ts";
import { type Column, table } from "../../terminal/table.ts";
import { counted, oneLine, when } from "../../terminal/text.ts";
import { homeRelative } from "../search/across.ts";

const columns: Column[] = [
  { title: "project", wraps: true },
  { title: "used" },
  { title: "sessions", isNumber: true, optional: 2 },
  { title: "turns", isNumber: true, optional: 3 },
  { title: "origin", wraps: true, optional: 1 },
];

/** `pm projects`. */
export async function projectsListCommand({ output }: CommandContext): Promise<void> {
  const projects = await Promise.all(
    listProjects().map(async ({ root, name, remote, isGone, firstUsedAt, lastUsedAt, project }) => ({
      ...{ root, name, remote, is_gone: isGone },
      ...(await memorySize(project)),
      first_used_at: new Date(firstUsedAt).toISOString(),
      last_used_at: new Date(lastUsedAt).toISOString(),
    })),
  );
  output.result({ projects }, () => {
    if (projects.length === 0) return "No projects yet; `pm init` creates one.";
    const { colors } = output;
    const rows = projects.map(({ root, remote, is_gone, sessions, turns, last_used_at }) => [
      colors.link(colors.place(homeRelative(root)), is_gone ? null : fileUrl(root)),
      is_gone ? colors.warn("gone") : when(last_used_at, output),
      sessions?.toLocaleString("en") ?? "",
      turns?.toLocaleString("en") ?? "",
      oneLine(remote ?? ""),
    ]);
    const gone = projects.filter(({ is_gone }) => is_gone).length;
    const hint =
      gone > 0 ? `\n\n${output.colors.dim(`${counted(gone, "project")} gone: pm projects forget`)}` : "";
    return table(columns, rows, output) + hint;
  });
}

/** `pm projects forget [path]`. */
export async function projectsForgetCommand(
  { cwd, output }: CommandContext,
  path: string | undefined,
): Promise<void> {
  const root = path === undefined ? null : resolve(cwd, path);
  const forgotten = forgetProjects(root);
  if (root !== null && forgotten.length === 0) {
    throw new PommelError("not_found", `${root} is not a known project.`, "`pm projects` lists them.");
  }
  output.result(
    { forgotten },
    `${tick("ok", output.colors)} ${forgotten.length === 0 ? "No project is gone." : `${counted(forgotten.length, "project")} removed from the list.`}`,
  );
}
