import { findKey, unlockHome } from "../store/encryption/home-key.ts";
import { askSecret, canAsk } from "./ask.ts";
import type { Output } from "./output.ts";

/** Asks for the passphrase of the home, or of a backup, where one is needed, is not known and can be asked for. */
export async function givePassphrase(output: Output, what: { backup?: string } = {}): Promise<void> {
  if (!canAsk(output) || !findKey(what)?.needsPassphrase) return;
  unlockHome({ ...what, passphrase: await askSecret("Passphrase of the memory: ") });
}
