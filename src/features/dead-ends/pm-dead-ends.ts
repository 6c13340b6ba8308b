import { showOperation } from "../../terminal/show-operation.ts";
import { type DeadEndsRequest, deadEnds } from "./operation.ts";
import { wordDeadEnds } from "./words.ts";

/** `pm dead-ends` */
export const deadEndsCommand = showOperation(
  deadEnds,
  wordDeadEnds,
  (_, words: string[], options: DeadEndsRequest) => ({
    ...options,
    about: words.length === 0 ? undefined : words.join(" "),
  }),
  { full: true, isNothing: ({ dead_ends }) => dead_ends.length === 0 },
);
