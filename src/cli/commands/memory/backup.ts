import { basename, dirname, resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { ListedBackup } from "../../../queries/upkeep/backups.ts";
import { relativeTime } from "../../../text/relative-time.ts";
import type { CommandContext } from "../../frame.ts";
import { humanBytes, tick } from "../../terminal/output.ts";
import { table } from "../../terminal/table.ts";
import { givePassphrase } from "./encrypt.ts";

/** `pm memory backup`: copies the memory, while whoever writes to it goes on. */
export async function backupCommand({ cwd, output }: CommandContext, { to }: { to?: string }): Promise<void> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  // A final slash says that it is a directory.
  const target = to === undefined ? undefined : resolve(cwd, to) + (/[\\/]$/.test(to) ? "/" : "");
  const { file, bytes, at, isEncrypted, key } = await call("backUp", { to: target }, project);
  output.result({ file, bytes, at: new Date(at).toISOString(), encrypted: isEncrypted }, () =>
    [
      `${tick("ok", output.colors)} Backed up the memory to ${file} (${humanBytes(bytes)}).`,
      ...(key ? [`It is encrypted: keep ${basename(key)} beside it, and a copy of the key elsewhere.`] : []),
    ].join("\n"),
  );
}

/** What each is for, as people read it. */
const reasons: Record<ListedBackup["reason"], string> = {
  daily: "daily",
  manual: "pm memory backup",
  migration: "before an update",
  replaced: "before a restore",
};

/** `pm memory backup list` */
export async function listCommand({ cwd, output }: CommandContext): Promise<number> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  const found = await call("backups", {}, project);
  output.result({ backups: found.map(jsonOf) }, () =>
    found.length === 0
      ? "No backups yet. `pm memory backup` makes one; the daemon makes one a day."
      : table(
          [
            { title: "#", isNumber: true },
            { title: "WHEN" },
            { title: "WHY" },
            { title: "SESSIONS", isNumber: true, optional: 1 },
            { title: "NOTES", isNumber: true, optional: 2 },
            { title: "SIZE", isNumber: true, optional: 3 },
            { title: "FILE", wraps: true },
          ],
          found.map(({ file, at, bytes, reason, content }, i) => [
            String(i + 1),
            relativeTime(at),
            reasons[reason],
            content === null ? "damaged" : content === "locked" ? "locked" : String(content.sessions),
            content === null || content === "locked" ? "" : String(content.notes),
            humanBytes(bytes),
            output.columns === undefined ? file : basename(file),
          ]),
          output,
        ) + (output.columns === undefined ? "" : `\n\n${foldersOf(found)}`),
  );
  return found.length === 0 ? 5 : 0;
}

const foldersOf = (found: readonly ListedBackup[]) =>
  [...new Set(found.map(({ file }) => dirname(file)))].map((dir) => `in ${dir}`).join("\n");

function jsonOf({ file, at, bytes, reason, content }: ListedBackup) {
  return {
    file,
    at: new Date(at).toISOString(),
    reason,
    bytes,
    ...(content === null || content === "locked"
      ? { readable: false, locked: content === "locked" }
      : {
          readable: true,
          schema: content.schema,
          sessions: content.sessions,
          notes: content.notes,
          commits: content.commits,
          last_at: content.lastAt === null ? null : new Date(content.lastAt).toISOString(),
        }),
  };
}
