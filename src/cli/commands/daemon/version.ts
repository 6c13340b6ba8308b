import { dirname } from "node:path";
import { programFile } from "../../../client/autostart.ts";
import { call } from "../../../client/call.ts";
import { findDaemon } from "../../../client/connect.ts";
import { version } from "../../../project/version.ts";
import type { CommandContext } from "../../frame.ts";
import { aligned } from "../../terminal/output.ts";

/** `pm daemon version`: what is installed here, for a bug report, and what runs. */
export async function versionCommand({ output }: CommandContext): Promise<void> {
  const record = await findDaemon();
  const report = {
    version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
    sqlite: await call("sqliteVersion", {}, null),
    installed_in: dirname(dirname(programFile("pommeld.cjs"))),
    daemon: record && { version: record.version, pid: record.pid },
  };
  const daemon = record ? `${record.version} (PID ${record.pid})` : "not running";
  output.result(report, () =>
    aligned([
      ["Pommel", report.version],
      ["Node.js", report.node],
      ["Platform", report.platform],
      ["SQLite", report.sqlite],
      ["Installed in", report.installed_in],
      ["Daemon", daemon],
    ]),
  );
  if (record && record.version !== version) {
    output.note(`The daemon runs version ${record.version}: \`pm daemon restart\` switches to ${version}.`);
  }
}
