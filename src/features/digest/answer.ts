import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { buildDigest } from "./digest.ts";
import type { digestEverywhereRequest, digestRequest } from "./operation.ts";

export const sumUp = ({ project, memory }: Subjects["memory"], request: Shaped<typeof digestRequest>) =>
  buildDigest(project, memory, request);

export const digestEverywhere = async (_: object, request: Shaped<typeof digestEverywhereRequest>) =>
  (await import("./everywhere.ts")).digestEverywhere(request);
