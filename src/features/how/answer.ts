import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { findWorkingCommands } from "./find-commands.ts";
import type { howRequest } from "./operation.ts";
import { readProjectScripts } from "./project-scripts.ts";

/** Command lines in an answer, by default: they are long. */
const listedCommands = 3;

export const how = (
  { project, memory }: Subjects["memory"],
  { q, limit = listedCommands }: Shaped<typeof howRequest>,
) => findWorkingCommands(memory, { q, limit, scripts: readProjectScripts(project.root) });
