import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { RunContext } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import type { CarryRequest } from "./carry.ts";
import type { ExportNotesRequest } from "./export-notes.ts";

/** Writes attribution as git notes of another tool. */
export const exportNotes = defineLocalOperation(async () => {
  const [{ exportNotes }, { withMemory }] = await Promise.all([
    import("./export-notes.ts"),
    import("../../answers/open.ts"),
  ]);
  return (project: Project, request: ExportNotesRequest) =>
    withMemory(project, (memory) => exportNotes(project, memory, request));
});

/** Lists attribution as trace records. */
export const exportTraces = defineLocalOperation(async () => {
  const [{ exportTraces }, { withMemory }] = await Promise.all([
    import("./agent-trace.ts"),
    import("../../answers/open.ts"),
  ]);
  return (project: Project, { range }: { range: string | null }) =>
    withMemory(project, async (memory) => {
      const records: object[] = [];
      for await (const record of exportTraces(project, memory, range)) records.push(record);
      return records;
    });
});

/** Takes in what trace records say. */
export const importTraces = defineLocalOperation(async () => {
  const { importTraces } = await import("./agent-trace.ts");
  return (project: Project, { text, dryRun }: { text: string; dryRun: boolean }) =>
    importTraces(project, text, { dryRun });
});

/** Gives the commits of a merge the attribution of those that it was made of. */
export const carryAttribution = defineLocalOperation(async () => {
  const { carryAttribution } = await import("./carry.ts");
  return (project: Project, request: CarryRequest, { signal }: RunContext) =>
    carryAttribution(project, request, signal);
});

export type { Carried } from "./carry.ts";
