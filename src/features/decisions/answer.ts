import type { Subjects } from "../../answers/operation.ts";
import { loadConfig } from "../../base/config/config.ts";
import { findDecisions } from "./decisions.ts";
import type { DecisionsRequest } from "./operation.ts";

export const listDecisions = ({ project, memory }: Subjects["memory"], request: DecisionsRequest) =>
  findDecisions(project, memory, request, loadConfig(project).config);
