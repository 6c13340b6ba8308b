import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import type { Project } from "../base/paths.ts";
import { formatRelativeTime } from "../base/text/relative-time.ts";
import { call } from "../client/call.ts";
import { describeUnreachable, type UnreachableReason } from "../client/daemon-client.ts";
import type { Output } from "./output.ts";

/** If the newest session is younger than this, something is recording. Milliseconds. */
const oldAfterMs = 5000;

/** Calls an operation on sessions. If no daemon answered and the sessions are not recent, it notes how old they are. */
export async function callNoted<O extends Operation>(
  operation: O,
  input: RequestOf<O>,
  project: Project,
  output: Output,
): Promise<ResponseOf<O>> {
  const reasons: UnreachableReason[] = [];
  const answer = await call(operation, input, project, { onHere: (why) => reasons.push(why) });
  const [without] = reasons;
  if (without === undefined) return answer;
  const { readLastSessionTime } = await import("../answers/last-session.ts");
  const at = (await readLastSessionTime(project)) ?? Date.now();
  if (Date.now() - at < oldAfterMs) return answer;
  output.note(
    output.colors.dim(`${describeUnreachable(without)}; the last session is from ${formatRelativeTime(at)}.`),
  );
  return answer;
}
