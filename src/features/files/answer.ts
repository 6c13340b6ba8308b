import type { Running, Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { describeDirectory, findFiles as find } from "./files.ts";
import type { directoryRequest, filesRequest } from "./operation.ts";

export const listDirectory = (
  { project, memory }: Subjects["memory, if any"],
  request: Shaped<typeof directoryRequest>,
  { signal }: Running,
) => describeDirectory(project, memory, request, signal);

export const findFiles = (
  { project }: Subjects["project"],
  request: Shaped<typeof filesRequest>,
  { signal }: Running,
) => find(project, request, signal);
