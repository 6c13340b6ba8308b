import { KeptOnce } from "../../answers/kept.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Project } from "../../base/paths.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { doctorResponse } from "./operation.ts";

/** What a daemon checks of the machine and a project. */
export const diagnosing = new KeptOnce<(project: Project) => Promise<Shaped<typeof doctorResponse>>>();

export const diagnose = ({ project }: Subjects["project"]) => diagnosing.get()(project);
