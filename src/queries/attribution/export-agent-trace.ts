import { traceRecordOf } from "../../attribution/foreign/agent-trace.ts";
import type { Project } from "../../project/paths.ts";
import { version } from "../../project/version.ts";
import type { Memory } from "../../store/memory/memory.ts";
import { attributedCommits } from "./attributed-commits.ts";

/** The attribution of commits as trace records, newest first. @throws PommelError as `attributedCommits` */
export async function* exportTraces(
  project: Project,
  memory: Memory,
  range: string | null,
  signal?: AbortSignal,
): AsyncGenerator<ReturnType<typeof traceRecordOf>, void, undefined> {
  for await (const { info, lines } of attributedCommits(memory, project.root, range, signal)) {
    yield traceRecordOf({ commit: info.hash, at: info.committedAt, lines, version });
  }
}
