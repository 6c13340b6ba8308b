import { commandPatterns } from "./command-patterns.ts";
import { credentialPatterns } from "./credential-patterns.ts";
import { type DefaultPattern, key, row } from "./default-pattern.ts";
import { formPatterns } from "./form-patterns.ts";
import { formatPatterns } from "./format-patterns.ts";
import { genericPatterns } from "./generic-patterns.ts";
import { optionPatterns } from "./option-patterns.ts";
import { prosePatterns } from "./prose-patterns.ts";
import { providerPatterns } from "./provider-patterns.ts";
import { vendorPatterns } from "./vendor-patterns.ts";

/** Data about people, off unless it is asked for. */
const piiPatterns = [
  key("email", "@", "[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9.-]{1,255}\\.[A-Za-z]{2,24}", {
    reach: 64,
    enabled: false,
    pii: true,
  }),
  row("phone-us", "PHONE", "", "(?:\\([0-9]{3}\\) ?|\\b[0-9]{3}[-.])[0-9]{3}[-.][0-9]{4}\\b", {
    enabled: false,
    pii: true,
  }),
  key("ssn", "", "\\b[0-9]{3}-[0-9]{2}-[0-9]{4}\\b", { enabled: false, pii: true }),
];

/** Every default; of two that find the same, the first gives the placeholder. */
export const defaultPatterns: readonly DefaultPattern[] = [
  ...providerPatterns,
  ...genericPatterns,
  ...commandPatterns,
  ...optionPatterns,
  ...credentialPatterns,
  ...formPatterns,
  ...prosePatterns,
  ...formatPatterns,
  ...vendorPatterns,
  ...piiPatterns,
];
