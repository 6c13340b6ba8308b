import { changeMemory } from "../../answers/changing.ts";
import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { forgetIn } from "./forget.ts";
import type { forgetRequest } from "./operation.ts";

export const forget = ({ project }: Subjects["project"], request: Shaped<typeof forgetRequest>) =>
  forgetIn(project, request, changeMemory);
