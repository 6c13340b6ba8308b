import type { Operation, RequestOf, ResponseOf } from "../answers/operation.ts";
import type { Project } from "../base/paths.ts";
import { formatRelativeTime } from "../base/text/relative-time.ts";
import { call } from "../client/call.ts";
import { describeUnreachable, type UnreachableReason } from "../client/daemon-client.ts";
import type { Output } from "./output.ts";

/** A line newer than this says that somebody reads along. Milliseconds. */
const oldAfterMs = 5000;

/** Calls an operation on sessions, and says how old they are where no daemon answered and they are not recent. */
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
