import { isSealed, unseal } from "../../protocol/sealed-text.ts";
import { homeEnvelope, privateKey } from "./envelope.ts";
import { unlock } from "./keys.ts";

/**
 * A text of the spool or the log, sealed or not, as it was written.
 * @throws PommelError as `unlock`; for one that was sealed for another key, or changed
 */
export function plainText(text: string): string {
  if (!isSealed(text)) return text;
  const envelope = homeEnvelope();
  if (envelope === null) throw new Error("it is sealed, and encryption.json is gone");
  return unseal(text, privateKey(unlock(envelope)));
}
