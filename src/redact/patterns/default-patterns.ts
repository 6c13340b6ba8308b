import { commandPatterns } from "./command-patterns.ts";
import type { DefaultPattern } from "./default-pattern.ts";
import { genericPatterns } from "./generic-patterns.ts";
import { piiPatterns } from "./pii-patterns.ts";
import { providerPatterns } from "./provider-patterns.ts";

/** Every default; of two that find the same, the first gives the placeholder. */
export const defaultPatterns: readonly DefaultPattern[] = [
  ...providerPatterns,
  ...genericPatterns,
  ...commandPatterns,
  ...piiPatterns,
];
