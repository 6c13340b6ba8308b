import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

/** A text that tells this process's work from that of all others, also from one that has its pid later. */
export function newOwner(): string {
  return [process.pid, beginningOf(process.pid), randomBytes(4).toString("hex")].join("-");
}

/** Whether the process that an owner names still runs. */
export function isOwnerAlive(owner: string): boolean {
  const [, pid, beginning] = /^(\d+)-(\d*)-[0-9a-f]{8}$/.exec(owner) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    // Of another user, and there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
  return beginning === "" || beginningOf(Number(pid)) === beginning;
}

/** When a process began, in the system's own ticks (proc(5), field 22); "" where the system does not say. */
function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
