import { KeptOnce } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import { LastKnown } from "../../base/last-known.ts";
import { getOrCreate } from "../../base/multimap.ts";
import type { Project } from "../../base/paths.ts";
import type { DoctorResponse } from "./operation.ts";

type Checks = DoctorResponse["checks"];

/** What a daemon checks of the machine and a project. */
export const diagnosing = new KeptOnce<(project: Project) => Promise<Checks>>();

/** Whole databases are read, and programs are started. */
const diagnosisTimes = { freshMs: 5000, patienceMs: 1000 };

const diagnoses = new Map<string, LastKnown<Checks>>();

export async function diagnose({ project }: Subjects["project"]): Promise<DoctorResponse> {
  const check = diagnosing.get();
  const known = getOrCreate(
    diagnoses,
    project.root,
    () => new LastKnown(() => check(project), diagnosisTimes),
  );
  const last = await known.ask();
  return {
    ok: last?.value.every(({ status }) => status !== "fail") ?? null,
    as_of: last && new Date(last.at).toISOString(),
    is_checking: known.isFinding,
    checks: last?.value ?? [],
  };
}
