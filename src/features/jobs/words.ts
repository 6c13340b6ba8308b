import { formatCount } from "../../base/text/counted.ts";
import type { JobsStatus, QueueStatus } from "./operation.ts";

type RunningJob = JobsStatus["running"][number];

/** What people call jobs of a kind. */
const nameJob: Readonly<Record<string, string>> = { transcript: "transcript", commit: "new commit" };

/** "waits for 12 transcripts, which go first"; "" for a job that is worked on. */
export function describeWaiting({ waits_for }: Pick<RunningJob, "waits_for">): string {
  if (waits_for === null) return "";
  const { kind, jobs } = waits_for;
  return `waits for ${formatCount(jobs, nameJob[kind] ?? "job")}, which ${jobs === 1 ? "goes" : "go"} first`;
}

/** What is being done, and what waits for what, a line each; none where nothing is. */
export function describeWork(
  { code_is_idle, done, total }: Pick<QueueStatus, "code_is_idle" | "done" | "total">,
  { waiting, running }: Pick<JobsStatus, "waiting" | "running">,
): string[] {
  const files = total === 0 ? "looking for files to index" : `indexing: ${formatOfAll(done, total)} files`;
  const transcripts =
    running.filter(({ kind }) => kind === "transcript").length +
    (waiting.find(({ kind }) => kind === "transcript")?.jobs ?? 0);
  const history = running.find(({ kind }) => kind === "history");
  return [
    ...(code_is_idle ? [] : [files]),
    ...(transcripts === 0 ? [] : [`reading sessions: ${formatCount(transcripts, "transcript")} to go`]),
    ...(history === undefined ? [] : [describeHistory(history)]),
  ];
}

function describeHistory({ done, total, waits_for }: RunningJob): string {
  const facts = [total === 0 ? "" : formatOfAll(done, total), describeWaiting({ waits_for })].filter(
    (fact) => fact !== "",
  );
  return ["analysing commits", facts.join(", ")].filter((part) => part !== "").join(": ");
}

/** "412 of 2,032" */
const formatOfAll = (done: number, total: number) =>
  `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
