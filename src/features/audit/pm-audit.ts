import type { AuditRecord } from "../../answers/audit.ts";
import { loadConfig } from "../../base/config/config.ts";
import { exitCode } from "../../base/errors.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { givePassphrase } from "../../terminal/passphrase.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { listAuditRecords, verifyAudit } from "./operation.ts";
import { wordAudit, wordAuditCheck } from "./words.ts";

interface AuditOptions {
  since?: string;
  channel?: string;
  limit?: number;
  verify?: boolean;
}

const defaultLimit = 20;

/** `pm memory audit` */
export async function auditCommand(
  { cwd, output }: CommandContext,
  { since, channel, limit = defaultLimit, verify = false }: AuditOptions,
): Promise<number> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  if (verify) {
    const check = await call(verifyAudit, {}, project);
    showAnswer(output, check, () => wordAuditCheck(check));
    return check.broken === null ? exitCode.ok : exitCode.failed;
  }
  const from = since === undefined ? 0 : await parseWhen(since, "since");
  const records: AuditRecord[] = [];
  let total = 0;
  for (const record of await call(listAuditRecords, {}, project)) {
    if (Date.parse(record.at) < from || (channel !== undefined && record.channel !== channel)) continue;
    total++;
    records.push(record);
    if (records.length > limit) records.shift();
  }
  const enabled = loadConfig(project).config["audit.enabled"];
  const answer = { enabled, total, records };
  showAnswer(output, answer, () => wordAudit(answer));
  return exitCode.ok;
}
