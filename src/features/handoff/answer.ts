import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { handoffOf } from "./handoff.ts";
import type { handoffRequest } from "./operation.ts";

export const handOver = ({ memory }: Subjects["memory"], { id }: Shaped<typeof handoffRequest>) =>
  handoffOf(memory, id);
