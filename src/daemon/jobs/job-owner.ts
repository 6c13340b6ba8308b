import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { codeOf } from "../../project/errors.ts";

/** An id that distinguishes this process's jobs from those of all others, even of a later process with the same pid. */
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
    if (codeOf(error) !== "EPERM") return false;
  }
  return beginning === "" || beginningOf(Number(pid)) === beginning;
}

/**
 * The start time of a process, in the system's own ticks (proc(5), field 22); "" if the system does not provide it, "0"
 * for a zombie.
 */
function beginningOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the program may contain spaces and brackets.
    const [state = "", ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return /[ZX]/.test(state) ? "0" : (fields[18] ?? "");
  } catch {
    return "";
  }
}
