import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { buildStatusline } from "./line.ts";
import type { statuslineRequest } from "./operation.ts";

export const describeStatusline = (
  { memory }: Subjects["memory"],
  request: Shaped<typeof statuslineRequest>,
) => buildStatusline(memory, request);
