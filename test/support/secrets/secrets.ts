import type { SecretCase } from "./make.ts";
import { placedSecrets } from "./placed-secrets.ts";
import { providerSecrets } from "./provider-secrets.ts";

/** Secrets of many kinds in the places where they turn up in conversations with an agent. */
export function secretCases(seed = 20250101): SecretCase[] {
  return [...providerSecrets(seed), ...placedSecrets(seed + 1)];
}
