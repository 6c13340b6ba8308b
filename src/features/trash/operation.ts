import { defineLocalOperation } from "../../answers/local-operation.ts";
import type { TrashAsked } from "./undo.ts";

/** What can be brought back, the latest first. */
export const listTrash = defineLocalOperation(async () => {
  const { listTrashFor } = await import("./undo.ts");
  return (_: null, asked: TrashAsked) => listTrashFor(asked);
});

/** Brings back what a command took away. No daemon may run. */
export const undoRemoval = defineLocalOperation(async () => {
  const { undo } = await import("./undo.ts");
  return (_: null, { number }: { number: number }) => undo(number);
});
