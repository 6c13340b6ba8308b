import type { AuditRecord } from "../../answers/audit.ts";
import { loadConfig } from "../../base/config/config.ts";
import { exitCode } from "../../base/errors.ts";
import { parseWhen } from "../../base/text/dates.ts";
import { call } from "../../client/call.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { alignColumns, formatBytes, type Screen } from "../../terminal/output.ts";
import { formatCount, formatWhen, toOneLine } from "../../terminal/text.ts";
import { givePassphrase } from "../encryption/pm-encrypt.ts";
import { listAuditRecords, verifyAudit } from "./operation.ts";

interface AuditOptions {
  since?: string;
  door?: string;
  limit?: number;
  verify?: boolean;
}

const defaultLimit = 20;

/** `pm memory audit` */
export async function auditCommand(
  { cwd, output }: CommandContext,
  { since, door, limit = defaultLimit, verify = false }: AuditOptions,
): Promise<number> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  if (verify) {
    const check = await call(verifyAudit, {}, project);
    output.result(check, () =>
      check.broken === null
        ? `${formatCount(check.records, "record")}, none changed or missing.${check.head ? ` Last: ${check.head.n} ${check.head.sha256}` : ""}`
        : `Record ${check.broken.record} (${check.broken.file}): ${check.broken.reason}. ${formatCount(check.records, "record")} before it hold.`,
    );
    return check.broken === null ? exitCode.ok : exitCode.failed;
  }
  const from = since === undefined ? 0 : await parseWhen(since, "since");
  const records: AuditRecord[] = [];
  let total = 0;
  for (const record of await call(listAuditRecords, {}, project)) {
    if (Date.parse(record.at) < from || (door !== undefined && record.door !== door)) continue;
    total++;
    records.push(record);
    if (records.length > limit) records.shift();
  }
  const enabled = loadConfig(project).config["audit.enabled"];
  output.result({ enabled, total, records }, () => renderAudit({ enabled, total, records }, output));
  return exitCode.ok;
}

function renderAudit(
  { enabled, total, records }: { enabled: boolean; total: number; records: readonly AuditRecord[] },
  screen: Screen,
): string {
  const off = enabled
    ? []
    : [
        screen.colors.dim(
          "Nothing is recorded now: `pm config set --global audit.enabled true` turns it on.",
        ),
      ];
  if (records.length === 0) return ["No questions recorded.", ...off].join("\n");
  const rows = records.map((record) => [
    formatWhen(record.at, screen),
    record.door,
    record.operation,
    record.error ?? `${record.results} results, ${formatBytes(record.bytes)}`,
    toOneLine(
      record.question ?? "(forgotten)",
      screen.columns === undefined ? undefined : Math.max(20, screen.columns - 60),
    ),
  ]);
  const more = records.length < total ? [screen.colors.dim(`${records.length} of ${total} records`)] : [];
  return [alignColumns(rows), ...more, ...off].join("\n");
}
