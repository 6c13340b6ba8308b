import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { reviewRequest } from "./operation.ts";
import { review } from "./review.ts";

export const reviewChange = (
  { project, memory }: Subjects["memory, if any"],
  request: Shaped<typeof reviewRequest>,
  { signal }: Running,
) => review(project, memory, request, signal);
