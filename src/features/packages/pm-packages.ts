import { placeInProject } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { type Column, formatTable } from "../../terminal/table.ts";
import { toPrintable } from "../../terminal/text.ts";
import { listPackages } from "./operation.ts";

export const columns: Column[] = [
  { title: "package", wraps: true },
  { title: "directory", wraps: true },
  { title: "kind" },
  { title: "files", isNumber: true },
];

/** `pm code packages`. */
export async function packagesCommand({ cwd, output }: CommandContext): Promise<void> {
  const project = await findProject(cwd);
  const found = await call(listPackages, { near: placeInProject(project, cwd) }, project);
  output.result(found, () => {
    if (found.packages.length === 0) {
      return "No packages: no manifest of npm, Cargo, Go, Maven, Gradle or Python is indexed here.";
    }
    const rows = found.packages.map(({ name, dir, kind, files }) => [
      `${output.colors.place(toPrintable(name))}${name === found.current ? " *" : ""}`,
      toPrintable(dir),
      kind,
      files.toLocaleString("en"),
    ]);
    return formatTable(columns, rows, output);
  });
}
