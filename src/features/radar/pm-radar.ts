import { showOperation } from "../../terminal/show-operation.ts";
import { showRadar } from "./operation.ts";
import { wordRadar } from "./words.ts";

/** `pm radar` */
export const radarCommand = showOperation(showRadar, wordRadar, () => ({}), {
  full: true,
  isNothing: ({ sessions }) => sessions.length === 0,
});
