import type { RequestOf } from "../../answers/operation.ts";
import { showOperation } from "../../terminal/show-operation.ts";
import { showCost } from "./operation.ts";
import { wordCost } from "./words.ts";

/** `pm cost` */
export const costCommand = showOperation(
  showCost,
  wordCost,
  (_, request: RequestOf<typeof showCost>) => request,
);
