import type { SyncDialogue } from "../../../queries/sync/sync.ts";
import type { SyncOptions } from "../../../sync/report.ts";
import { askSecret } from "../../terminal/ask-secret.ts";
import { canAsk } from "../../terminal/confirm.ts";
import type { Output } from "../../terminal/output.ts";
import { createProgress, type Progress } from "../../terminal/progress.ts";

/** Asks at the terminal, where there is one. */
export function syncDialogue(output: Output): SyncDialogue {
  return {
    async askPassphrase(isNew) {
      if (!canAsk(output)) return null;
      const given = await askSecret(isNew ? "A new passphrase for the shared memory: " : "Passphrase: ");
      if (!isNew || given === "") return given;
      if ((await askSecret("Repeat it: ")) === given) return given;
      output.note("They differ.");
      return null;
    },
    onKeyMade(file) {
      output.note(`Created the key ${file}. Copy it to your other machines and keep a backup: without it,`);
      output.note("the shared memory cannot be read.");
    },
  };
}

/** Shows how far it is, step by step. */
export function syncProgress(): { onProgress: NonNullable<SyncOptions["onProgress"]>; finish(): void } {
  let step = "";
  let bar: Progress | null = null;
  return {
    onProgress(now, done, total) {
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
