import { counted } from "../../text/counted.ts";
import type { JobsStatus, QueueStatus } from "./operation.ts";

type RunningJob = JobsStatus["running"][number];

/** What people call jobs of a kind. */
const nameOf: Readonly<Record<string, string>> = { transcript: "transcript", commit: "new commit" };

/** "waits for 12 transcripts, which go first"; "" for a job that is worked on. */
export function describeWaiting({ waits_for }: Pick<RunningJob, "waits_for">): string {
  if (waits_for === null) return "";
  const { kind, jobs } = waits_for;
  return `waits for ${counted(jobs, nameOf[kind] ?? "job")}, which ${jobs === 1 ? "goes" : "go"} first`;
}

/** What is being done, and what waits for what, a line each; none where nothing is. */
export function describeWork(
  { code_is_idle, done, total }: Pick<QueueStatus, "code_is_idle" | "done" | "total">,
  { is_idle, pending, running }: Pick<JobsStatus, "is_idle" | "pending" | "running">,
): string[] {
  const number = (value: number) => value.toLocaleString("en");
  const code =
    total === 0 ? "looking for files to index" : `indexing: ${number(done)} of ${counted(total, "file")}`;
  const history = running.find(({ kind }) => kind === "history");
  const others = pending + running.length - (history === undefined ? 0 : 1);
  return [
    ...(code_is_idle ? [] : [code]),
    ...(is_idle || others === 0 ? [] : [`reading sessions: ${counted(others, "job")} to go`]),
    ...(history === undefined
      ? []
      : [
          ["analysing commits", history.total > 0 && `: ${number(history.done)} of ${number(history.total)}`]
            .filter(Boolean)
            .join("")
            .concat(history.waits_for === null ? "" : `, ${describeWaiting(history)}`),
        ]),
  ];
}
