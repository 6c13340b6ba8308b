import type { RunContext, Subjects } from "../../answers/operation.ts";
import { withSessionRead } from "../../answers/read-asked.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { buildHandoff } from "./handoff.ts";
import type { handoffRequest } from "./operation.ts";

export const handOver = (
  { project, memory }: Subjects["memory"],
  { id }: Shaped<typeof handoffRequest>,
  { signal }: RunContext,
) => withSessionRead(project, memory, id, signal, () => buildHandoff(memory, id));
