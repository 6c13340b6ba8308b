import { findKey, unlockHome } from "../store/encryption/home-key.ts";
import { askSecret, canAsk } from "./ask.ts";
import type { Output } from "./output.ts";

/** Asks for the passphrase of the home or of a backup, if one is needed and somebody can be asked. */
export async function givePassphrase(output: Output, what: { backup?: string } = {}): Promise<void> {
  if (!canAsk(output) || !findKey(what)?.needsPassphrase) return;
  unlockHome({ ...what, passphrase: await askSecret("Passphrase of the memory: ") });
}
