import { locate } from "../../answers/file-place.ts";
import type { RequestOf } from "../../answers/operation.ts";
import { showOperation } from "../../terminal/show-operation.ts";
import { findLostText } from "./operation.ts";
import { wordLost } from "./words.ts";

/** `pm memory lost` */
export const lostCommand = showOperation(
  findLostText,
  wordLost,
  ({ project, cwd }, named: string, options: RequestOf<typeof findLostText>) => ({
    ...options,
    file: locate(project, cwd, named),
  }),
  { isNothing: ({ total }) => total === 0 },
);
