import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { digestOf } from "./digest.ts";
import type { digestRequest } from "./operation.ts";

export const sumUp = ({ project, memory }: Subjects["memory"], request: Shaped<typeof digestRequest>) =>
  digestOf(project, memory, request);
