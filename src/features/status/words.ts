import { formatCount } from "../../base/text/counted.ts";
import { describeWork } from "../jobs/words.ts";
import type { StatusResponse } from "./operation.ts";

/** What is not finished, a line each: while there is any, not all is well. */
export function listUnfinished({ daemon, queue, memory, models }: StatusResponse): string[] {
  const { commits_waiting: commits, recut } = memory;
  const chunks = [...models.code, ...models.text].reduce((sum, model) => sum + model.chunks_pending, 0);
  return [
    ...(daemon.has_open ? describeWork(queue, memory.jobs) : ["nobody looks for changes of the code now"]),
    ...(commits === 0 ? [] : [`${formatCount(commits, "commit")} not analysed yet`]),
    ...(chunks === 0 ? [] : [`${formatCount(chunks, "chunk")} found by their words only as yet`]),
    ...(recut.sessions === 0 ? [] : [`${formatCount(recut.sessions, "session")} to be cut again`]),
  ];
}
