import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { Project } from "../../base/paths.ts";

/** What was asked, the oldest first. */
export const listAuditRecords = defineLocalOperation(async () => {
  const { readAuditRecords } = await import("../../answers/audit.ts");
  return (project: Project) => readAuditRecords(project);
});

/** Whether the records are as they were written. */
export const verifyAudit = defineLocalOperation(async () => {
  const { verifyAudit } = await import("../../answers/audit.ts");
  return (project: Project) => verifyAudit(project);
});
