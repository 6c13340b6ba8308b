import type { RequestOf } from "../../answers/operation.ts";
import { showOperation } from "../../terminal/show-operation.ts";
import { how } from "./operation.ts";
import { wordHow } from "./words.ts";

/** `pm how` */
export const howCommand = showOperation(
  how,
  wordHow,
  (_, words: string[], options: RequestOf<typeof how>) => ({
    ...options,
    q: words.length === 0 ? undefined : words.join(" "),
  }),
  { isNothing: ({ verdict }) => verdict === "none" },
);
