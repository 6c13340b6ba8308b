import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { buildStatusline, countOverlaps } from "./line.ts";
import type { statuslineRequest } from "./operation.ts";

export const describeStatusline = async (
  about: Subjects["memory"],
  request: Shaped<typeof statuslineRequest>,
) => ({
  ...(await buildStatusline(about, request)),
  overlaps: await countOverlaps(about.project.root, request),
});
