import type { DefaultPattern } from "./default-pattern.ts";
import { genericPatterns, piiPatterns } from "./generic-patterns.ts";
import { providerPatterns } from "./provider-patterns.ts";

/** Every default; of two that find the same, the first gives the placeholder. */
export const defaultPatterns: readonly DefaultPattern[] = [
  ...providerPatterns,
  ...genericPatterns,
  ...piiPatterns,
];
