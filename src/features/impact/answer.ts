import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { computeImpact } from "./impact.ts";
import type { impactRequest } from "./operation.ts";

export const findImpact = (
  { project }: Subjects["code"],
  request: Shaped<typeof impactRequest>,
  { signal }: Running,
) => computeImpact(project, request, signal);
