import { createScrubber } from "../../../src/redact/create-scrubber.ts";
import { createLedger, scrubValue } from "../../../src/redact/scrubber.ts";
import { blindLookAlikes } from "./blind-look-alikes.ts";
import { blindSecrets } from "./blind-secrets.ts";
import { documentedLookAlikes, documentedSecrets } from "./documented.ts";
import { developmentSecrets } from "./formats/development.ts";
import { developmentLookAlikes } from "./formats/development-look-alikes.ts";
import { heldOutSecrets } from "./formats/held-out.ts";
import { heldOutLookAlikes as heldOutFormatLookAlikes } from "./formats/held-out-look-alikes.ts";
import { goldenSecrets } from "./golden-secrets.ts";
import { heldOutLookAlikes } from "./held-out-look-alikes.ts";
import { heldOutSecretCases } from "./held-out-secrets.ts";
import { lastLookAlikes, lastSecrets } from "./last-corpus.ts";
import { lateLookAlikes, lateSecrets } from "./late-corpus.ts";
import { lookAlikes } from "./look-alikes.ts";
import type { SecretCase } from "./make.ts";
import { secretCases } from "./secrets.ts";
import { casesOf } from "./templates.ts";
import { firstLookAlikes, firstSecrets } from "./traces/first.ts";
import { secondLookAlikes, secondSecrets } from "./traces/second.ts";
import { thirdLookAlikes, thirdSecrets } from "./traces/third.ts";
import { unseenLookAlikes, unseenSecrets } from "./unseen-corpus.ts";
import { lookAlikesWrittenOtherwise, secretsWrittenOtherwise } from "./written-otherwise.ts";
import { laterSecretsWrittenOtherwise } from "./written-otherwise-later.ts";

/** Secrets and look-alikes with the same relation to the patterns. */
interface Corpus {
  name: string;
  secrets: SecretCase[];
  lookAlikes: SecretCase[];
  /** Whether no pattern may be chosen on it: only its totals are looked at. */
  isHeldOut?: boolean;
}

const plain = (texts: readonly string[]): SecretCase[] =>
  texts.map((text) => ({ kind: "of any kind", text, secrets: [], keep: [] }));

/** The parts of the corpus, from the one that patterns were chosen on to the one that they never saw. */
export function corpora(seed = 1): Corpus[] {
  return [
    {
      name: "chosen on",
      secrets: [...secretCases(), ...heldOutSecretCases(), ...casesOf(goldenSecrets, seed)],
      lookAlikes: plain([...lookAlikes(), ...heldOutLookAlikes()]),
    },
    {
      name: "written before",
      secrets: casesOf(blindSecrets, seed),
      lookAlikes: casesOf(blindLookAlikes, seed),
    },
    { name: "written after", secrets: casesOf(lateSecrets, seed), lookAlikes: casesOf(lateLookAlikes, seed) },
    { name: "unseen", secrets: casesOf(unseenSecrets, seed), lookAlikes: casesOf(unseenLookAlikes, seed) },
    {
      name: "formats, development",
      secrets: casesOf(developmentSecrets, seed),
      lookAlikes: casesOf(developmentLookAlikes, seed),
    },
    {
      name: "formats, held out",
      secrets: casesOf(heldOutSecrets, seed),
      lookAlikes: casesOf(heldOutFormatLookAlikes, seed),
      isHeldOut: true,
    },
    {
      name: "traces, first",
      secrets: casesOf(firstSecrets, seed),
      lookAlikes: casesOf(firstLookAlikes, seed),
    },
    {
      name: "traces, second",
      secrets: casesOf(secondSecrets, seed),
      lookAlikes: casesOf(secondLookAlikes, seed),
    },
    {
      name: "traces, third",
      secrets: casesOf(thirdSecrets, seed),
      lookAlikes: casesOf(thirdLookAlikes, seed),
      isHeldOut: true,
    },
    {
      name: "written otherwise",
      secrets: secretsWrittenOtherwise(seed),
      lookAlikes: lookAlikesWrittenOtherwise(seed),
    },
    { name: "written otherwise, later", secrets: laterSecretsWrittenOtherwise(seed), lookAlikes: [] },
    {
      name: "documented",
      secrets: casesOf(documentedSecrets, seed),
      lookAlikes: casesOf(documentedLookAlikes, seed),
      isHeldOut: true,
    },
    { name: "written last", secrets: casesOf(lastSecrets, seed), lookAlikes: casesOf(lastLookAlikes, seed) },
  ];
}

const scrubber = createScrubber({ globalFile: "/nonexistent/patterns.toml", projectFile: null, pii: false });

/** Scrubs a case's text with the default patterns; one that begins with `json:` as the input of a tool. */
export function scrubCase(text: string): string {
  const ledger = createLedger(Buffer.from("0123456789abcdef"));
  if (!text.startsWith("json:")) return scrubber.scrub(text, ledger);
  const input: unknown = JSON.parse(text.slice(5));
  return `json:${JSON.stringify(scrubValue(input, (part, name) => scrubber.scrub(part, ledger, name)))}`;
}

/** Whether a case's look-alike is as it was. */
export function isUnchanged(text: string): boolean {
  const before = text.startsWith("json:") ? `json:${JSON.stringify(JSON.parse(text.slice(5)))}` : text;
  return scrubCase(text) === before;
}

/** Whether eight characters in a row of a secret are left, or a shorter secret as a whole. */
export function leaks({ text, secrets }: SecretCase): boolean {
  const scrubbed = scrubCase(text);
  return secrets.some((secret) => {
    const length = Math.min(secret.length, 8);
    for (let at = 0; at + length <= secret.length; at++) {
      if (scrubbed.includes(secret.slice(at, at + length))) return true;
    }
    return false;
  });
}
