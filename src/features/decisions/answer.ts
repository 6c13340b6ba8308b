import type { Subjects } from "../../answers/operation.ts";
import { loadConfig } from "../../base/config/config.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findDecisions } from "./decisions.ts";
import type { decisionsRequest } from "./operation.ts";

/** Decisions in a list, by default. */
const listedDecisions = 10;

export function listDecisions(
  { project, memory }: Subjects["memory"],
  { q = "", file: files = [], limit = listedDecisions, ...when }: Shaped<typeof decisionsRequest>,
) {
  const { config } = loadConfig(project);
  return findDecisions(project, memory, { ...when, query: q.trim(), files, limit }, config);
}
