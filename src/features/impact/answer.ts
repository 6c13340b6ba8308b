import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { impactOf } from "./impact.ts";
import type { impactRequest } from "./operation.ts";

export const findImpact = (
  { project }: Subjects["code"],
  request: Shaped<typeof impactRequest>,
  { signal }: Running,
) => impactOf(project, request, signal);
