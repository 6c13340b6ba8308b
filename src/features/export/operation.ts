import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { WriteLines } from "../../answers/memory-file.ts";
import type { Project } from "../../base/paths.ts";

/** Writes a project's memory as lines of JSON. */
export const exportMemory = defineLocalOperation(async () => {
  const { exportProject } = await import("../../answers/memory-file.ts");
  return (project: Project, { write }: { write: WriteLines }) => exportProject(project, write);
});
