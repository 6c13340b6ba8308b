import type { Subjects } from "../../answers/operation.ts";
import type { Shaped } from "../../protocol/shape-parts.ts";
import type { rewindRequest } from "./operation.ts";
import { rewindTo } from "./rewind.ts";

export const previewRewind = (
  { project, memory }: Subjects["memory, if any"],
  { target, patch }: Shaped<typeof rewindRequest>,
) => rewindTo(project, memory, { target, patch });
