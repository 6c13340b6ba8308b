import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { Project } from "../../base/paths.ts";
import type { WriteLines } from "./memory-file.ts";

/** Writes a project's memory as lines of JSON. */
export const exportMemory = defineLocalOperation(async () => {
  const { exportProject } = await import("./memory-file.ts");
  return (project: Project, { write }: { write: WriteLines }) => exportProject(project, write);
});

/** Takes in such lines. */
export const importMemory = defineLocalOperation(async () => (await import("./memory-file.ts")).importFile);
