import type { Project } from "../../base/paths.ts";
import { call } from "../../client/call.ts";
import { type Candidates, withoutStart } from "../completions.ts";
import { listPackages } from "./operation.ts";

export const listPackageNames = async (project: Project): Promise<Candidates> =>
  (await call(listPackages, {}, project, withoutStart)).packages.map(({ name, dir }) => [name, dir]);
