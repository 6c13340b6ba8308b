import { parentPort, workerData } from "node:worker_threads";
import type { Project } from "../../base/paths.ts";
import { nameThread } from "../../base/thread.ts";
import { listChecks, runCheck } from "../../features/doctor/pm-doctor.ts";

/** A thread that checks the machine and a project, and ends: see `diagnose` in serve.ts. */

nameThread("pm-doctor");

void Promise.all(
  listChecks(workerData as Project).map(async (check) => ({ name: check.name, ...(await runCheck(check)) })),
).then((checks) => parentPort?.postMessage(checks));
