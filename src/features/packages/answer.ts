import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { packagesRequest } from "./operation.ts";
import { listPackages as list } from "./packages.ts";

export const listPackages = ({ project }: Subjects["code"], request: Shaped<typeof packagesRequest>) =>
  list(project, request);
