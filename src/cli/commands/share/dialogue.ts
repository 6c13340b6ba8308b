import type { CallOptions } from "../../../client/call.ts";
import { askSecret, canAsk } from "../../terminal/ask.ts";
import type { Output } from "../../terminal/output.ts";
import { createProgress, type Progress } from "../../terminal/progress.ts";

/** Asks for the passphrase of the shared memory at the terminal, where there is one. */
export const passphraseAsker =
  (output: Output) =>
  async (isNew: boolean): Promise<string | null> => {
    if (!canAsk(output)) return null;
    const given = await askSecret(isNew ? "A new passphrase for the shared memory: " : "Passphrase: ");
    if (!isNew || given === "") return given;
    if ((await askSecret("Repeat it: ")) === given) return given;
    output.note("They differ.");
    return null;
  };

/** Shows how far it is, step by step. */
export function syncProgress(): { onProgress: NonNullable<CallOptions["onProgress"]>; finish(): void } {
  let step: string | undefined;
  let bar: Progress | null = null;
  return {
    onProgress(done, total, now) {
      if (now !== step) {
        bar?.finish();
        bar = createProgress({ label: now === "sharing" ? "Sharing" : "Importing", unit: "items" });
        step = now;
      }
      bar?.update(done, total);
    },
    finish: () => bar?.finish(),
  };
}
