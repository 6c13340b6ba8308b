import { defineLocalOperation } from "../../answers/local-operation.ts";

/** What was asked, the oldest first. */
export const listAuditRecords = defineLocalOperation(
  async () => (await import("../../answers/audit.ts")).readAuditRecords,
);

/** Whether the records are as they were written. */
export const verifyAudit = defineLocalOperation(
  async () => (await import("../../answers/audit.ts")).verifyAudit,
);
