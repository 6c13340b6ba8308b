import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { type Candidates, withoutStart } from "../completions.ts";
import { describePage } from "./operation.ts";

export const listAgents = async (project: Project): Promise<Candidates> =>
  (await call(describePage, {}, project, withoutStart)).agents.map((name) => [name]);

export const listBranches = async (project: Project): Promise<Candidates> =>
  (await call(describePage, {}, project, withoutStart)).branches.map((name) => [name]);
