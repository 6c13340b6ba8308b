import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { listPackages as list } from "../../queries/search/packages.ts";
import type { packagesRequest } from "./operation.ts";

export const listPackages = ({ project }: Subjects["code"], request: Shaped<typeof packagesRequest>) =>
  list(project, request);
