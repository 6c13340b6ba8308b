import { basename } from "node:path";
import { call } from "../../../client/call.ts";
import { withoutDaemon } from "../../../client/without-daemon.ts";
import { loadConfig } from "../../../project/config/config.ts";
import type { Project } from "../../../project/paths.ts";
import { readDaemonRecord } from "../../../protocol/daemon-record.ts";
import type { Repaired } from "../../../queries/upkeep/findings.ts";
import type { Output } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";
import { givePassphrase } from "../memory/encrypt.ts";

/** The JSON of what `pm doctor --repair` did; null for what was sound. */
export interface Repairs {
  index: { aside: string } | null;
  memory: Repaired | null;
}

/**
 * Repairs damaged databases: the index is rebuilt, of the memory is saved what can be read.
 * @throws PommelError as `repairMemory`, `withoutDaemon` and `unlock`
 */
export async function repairDatabases(project: Project, output: Output): Promise<Repairs> {
  // Without the key, what is damaged cannot be told from what is locked.
  await givePassphrase(output);
  await call("unlock", {}, null);
  const { config } = loadConfig(project);
  const isDamaged = await call("damage", { config }, project);
  if (!isDamaged.index && !isDamaged.memory) return { index: null, memory: null };
  const repairs = await withoutDaemon("pm doctor --repair", () =>
    call("repair", { config, ...isDamaged }, project),
  );
  for (const line of describe(repairs)) output.print(line);
  // A daemon that ran runs again, and does the rest.
  if (readDaemonRecord() === null) await finish(project, repairs);
  return repairs;
}

async function finish(project: Project, { index, memory }: Repairs): Promise<void> {
  if (index) await call("index", { full: true }, project, { without: "here" });
  if (memory) await call("recut", {}, project);
}

function describe({ index, memory }: Repairs): string[] {
  const lines = index === null ? [] : ["The index was damaged; it is rebuilt."];
  if (memory === null) return lines;
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .filter(([, n]) => n > 0)
      .map(([table, n]) => `${table} ${n.toLocaleString("en")}`)
      .join(", ");
  const { sessions = 0, turns = 0, annotations = 0, commits = 0 } = memory.saved;
  lines.push(
    `Saved: ${counted(sessions, "session")}, ${counted(turns, "turn")}, ${counted(annotations, "note")}, ${counted(commits, "commit")}.`,
    `Lost rows: ${list(memory.lost) || "none that are known"}.`,
  );
  if (memory.incomplete.length > 0) lines.push(`Perhaps more of: ${memory.incomplete.join(", ")}.`);
  if (memory.bare.length > 0) lines.push(`Known by id only: ${counted(memory.bare.length, "session")}.`);
  const left = memory.harmed.length;
  if (left > 0) {
    lines.push(
      `${counted(left, "session")} missed something; ${counted(memory.rereads.length, "transcript")} that still exist are read again. What \`pm memory forget --match\` had removed from those comes back: run it again.`,
    );
  }
  lines.push(`The damaged file stays as ${basename(memory.aside)}; delete it when nothing is missing.`, "");
  return lines;
}
