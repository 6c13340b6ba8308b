import { isDeepStrictEqual } from "node:util";
import { Worker } from "node:worker_threads";
import type { commandRequest, commandResponse } from "../../answers/daemon/operation.ts";
import { locateBuiltFile } from "../../base/built-file.ts";
import { PommelError } from "../../base/errors.ts";
import type { Project } from "../../base/paths.ts";
import type { DoctorResponse } from "../../features/doctor/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { pickRelevantEnv } from "./forward.ts";

/** Runs a command that only reads as `pm` would. If `pm` has to run it itself, the answer says so. */
export async function runCommand(
  request: Shaped<typeof commandRequest>,
): Promise<Shaped<typeof commandResponse>> {
  const notHere = { exit_code: null, output: [] };
  if (!isDeepStrictEqual(request.settings, pickRelevantEnv(process.env))) return notHere;
  const [{ runCommandLine }, { NotRunByDaemon }] = await Promise.all([
    import("./run-command-line.ts"),
    import("../../terminal/frame.ts"),
  ]);
  const output: Shaped<typeof commandResponse>["output"] = [];
  try {
    const exit_code = await runCommandLine(request.args, {
      cwd: request.cwd,
      isRemote: true,
      streams: {
        write: (fd, text) => void output.push([fd, text]),
        show: (text) => void output.push([1, text]),
        hasColor: (fd) => request.color[fd - 1]!,
        hasLinks: request.links,
        columns: request.columns ?? undefined,
      },
    });
    return { exit_code, output };
  } catch (error) {
    if (error instanceof NotRunByDaemon) return notHere;
    throw error;
  }
}

/**
 * Checks the machine and the project as `pm doctor` does, and repairs nothing. It runs in a thread, because it reads whole
 * databases and starts programs.
 */
export function diagnose(project: Project): Promise<DoctorResponse["checks"]> {
  const worker = new Worker(locateBuiltFile("doctor-thread.cjs"), { workerData: project });
  worker.unref();
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
    worker.once("exit", () => reject(new PommelError("internal", "The checks ended before their time.")));
  });
}
