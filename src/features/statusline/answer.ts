import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import { statuslineOf } from "../page/page.ts";
import type { statuslineRequest } from "./operation.ts";

export const describeStatusline = (
  { memory }: Subjects["memory"],
  request: Shaped<typeof statuslineRequest>,
) => statuslineOf(memory, request);
