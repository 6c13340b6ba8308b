import { doneLine, type LinePart, line } from "../../answers/document.ts";
import { loadConfig } from "../../base/config/config.ts";
import { PommelError } from "../../base/errors.ts";
import { call } from "../../client/call.ts";
import { withoutDaemon } from "../../client/stop-daemon.ts";
import { askSecret, canAsk } from "../../terminal/ask.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import type { Output } from "../../terminal/output.ts";
import { givePassphrase } from "../../terminal/passphrase.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount } from "../../terminal/text.ts";
import type { KeySource } from "./encryption.ts";
import { passphraseVariable } from "./encryption.ts";
import { decryptMemory, encryptMemory, findKey, replaceKey, unlockHome } from "./operation.ts";

/** `pm memory encrypt`: encrypts what is stored, does the rest where that was interrupted, or replaces the key. */
export async function encryptCommand(
  { output }: CommandContext,
  { key, rotate = false }: { key?: string; rotate?: boolean },
): Promise<void> {
  const choice = key ?? loadConfig(null).config["storage.key"];
  if (!/^(?:file|file:.+|keychain|passphrase)$/.test(choice)) {
    throw new PommelError("usage", `No such key: ${choice}.`, "file, file:PATH, keychain or passphrase.");
  }
  const known = await call(findKey, {}, null);
  if (rotate) return rotateCommand(choice, output);
  if (known && key !== undefined) {
    throw new PommelError("usage", "The data is already encrypted.", "Change the key with --rotate.");
  }
  await givePassphrase(output);
  const isChosenNow = known === null && choice === "passphrase" && !process.env[passphraseVariable];
  const passphrase = isChosenNow ? await askNewPassphrase(output) : null;
  const how = { onNote: output.note };
  const { files, source } = await withoutDaemon("pm memory encrypt", () =>
    call(encryptMemory, { key: choice, passphrase }, null, how),
  );
  showAnswer(output, { encrypted: true, files, key: toKeyJson(source) }, () => [
    [
      doneLine(`Encrypted ${formatCount(files.length, "file")}. `, ...wordKeyPlace(source)),
      line("Keep a copy of the key in another place: without it, everything here is lost."),
      line("What was deleted from the disk just now was not encrypted, and may still be found there."),
    ],
  ]);
}

async function rotateCommand(choice: string, output: Output): Promise<void> {
  await givePassphrase(output);
  // Before another passphrase is asked for.
  await call(unlockHome, {}, null);
  const passphrase = choice === "passphrase" ? await askNewPassphrase(output) : null;
  const how = { onNote: output.note };
  const source = await withoutDaemon("pm memory encrypt", () =>
    call(replaceKey, { key: choice, passphrase }, null, how),
  );
  showAnswer(output, { rotated: true, key: toKeyJson(source) }, () => [
    [doneLine("The key was replaced. ", ...wordKeyPlace(source))],
  ]);
}

/** `pm memory decrypt` */
export async function decryptCommand({ output }: CommandContext): Promise<void> {
  if (loadConfig(null).config["storage.encrypt"]) {
    throw new PommelError(
      "usage",
      "storage.encrypt is on: the daemon would encrypt everything again.",
      "Run `pm config set --global storage.encrypt false` first.",
    );
  }
  await givePassphrase(output);
  const { files } = await withoutDaemon("pm memory decrypt", () =>
    call(decryptMemory, {}, null, { onNote: output.note }),
  );
  const done = `Decrypted ${formatCount(files.length, "file")}. The key itself stays where it is.`;
  showAnswer(output, { encrypted: false, files }, () => [[doneLine(done)]]);
}

/** @throws PommelError `usage` */
async function askNewPassphrase(output: Output): Promise<string> {
  const given = process.env.POMMEL_NEW_PASSPHRASE;
  if (given) return given;
  if (!canAsk(output)) {
    throw new PommelError(
      "usage",
      "Pommel needs a passphrase, but there is no terminal to ask for it.",
      `Set ${passphraseVariable}; with --rotate, the new one as POMMEL_NEW_PASSPHRASE.`,
    );
  }
  const once = await askSecret("A new passphrase: ");
  if (once !== "" && (await askSecret("Repeat it: ")) === once) return once;
  throw new PommelError(
    "usage",
    "The passphrase is empty, or the two do not match.",
    "Nothing was changed. Try again.",
  );
}

const toKeyJson = (source: KeySource) => ({
  source: source.kind,
  ...(source.kind === "file" && { path: source.path }),
});

function wordKeyPlace(source: KeySource): LinePart[] {
  if (source.kind === "file") return ["The key is in ", { text: source.path }, "."];
  if (source.kind === "keychain") return ["The key is in the system's keychain."];
  return ["Its key comes from the passphrase."];
}
