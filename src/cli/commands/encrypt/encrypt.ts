import { withoutDaemon } from "../../../client/without-daemon.ts";
import { loadConfig } from "../../../project/config/config.ts";
import { PommelError } from "../../../project/errors.ts";
import { backupFolders } from "../../../queries/projects/known-projects.ts";
import {
  type ConvertOptions,
  decryptHome,
  encryptHome,
  rotateKey,
} from "../../../store/encryption/convert.ts";
import { type Envelope, homeEnvelope, type KeySource } from "../../../store/encryption/envelope.ts";
import { passphraseVariable } from "../../../store/encryption/key-source.ts";
import { unlock } from "../../../store/encryption/keys.ts";
import type { CommandContext } from "../../frame.ts";
import { askSecret, canAsk } from "../../terminal/ask.ts";
import { type Output, tick } from "../../terminal/output.ts";
import { counted } from "../../terminal/text.ts";

/** `pm encrypt`: encrypts what is stored, does the rest where that was interrupted, or replaces the key. */
export async function encryptCommand(
  { output }: CommandContext,
  { key, rotate = false }: { key?: string; rotate?: boolean },
): Promise<void> {
  const choice = key ?? loadConfig(null).config["storage.key"];
  if (!/^(?:file|file:.+|keychain|passphrase)$/.test(choice)) {
    throw new PommelError("usage", `No such key: ${choice}.`, "file, file:PATH, keychain or passphrase.");
  }
  const known = homeEnvelope();
  if (rotate) return rotateCommand(choice, output);
  if (known && key !== undefined) {
    throw new PommelError("usage", "It is encrypted already.", "Change the key with --rotate.");
  }
  if (known) await givePassphrase(known, output);
  else if (choice === "passphrase") await chooseIfMissing(output);
  const options = optionsFor(output);
  const { files } = await withoutDaemon("pm encrypt", () => encryptHome(choice, options));
  const source = homeEnvelope()!.source;
  output.result({ encrypted: true, files, key: jsonOf(source) }, () =>
    [
      `${tick("ok", output.colors)} Encrypted ${counted(files.length, "file")}. ${placeOf(source)}`,
      "Keep a copy of the key in another place: without it, everything here is lost.",
      "What was deleted from the disk just now was not encrypted, and may still be found there.",
    ].join("\n"),
  );
}

async function rotateCommand(choice: string, output: Output): Promise<void> {
  const known = homeEnvelope();
  await givePassphrase(known, output);
  // Before another passphrase is asked for.
  if (known) unlock(known);
  const chosen = choice === "passphrase" ? await newPassphrase(output) : null;
  await withoutDaemon("pm encrypt", () =>
    rotateKey(choice, optionsFor(output), () => {
      if (chosen !== null) process.env[passphraseVariable] = chosen;
    }),
  );
  const source = homeEnvelope()!.source;
  output.result(
    { rotated: true, key: jsonOf(source) },
    `${tick("ok", output.colors)} The key was replaced. ${placeOf(source)}`,
  );
}

/** `pm decrypt` */
export async function decryptCommand({ output }: CommandContext): Promise<void> {
  if (loadConfig(null).config["storage.encrypt"]) {
    throw new PommelError(
      "usage",
      "storage.encrypt is on: the daemon would encrypt everything again.",
      "Run `pm config set --global storage.encrypt false` first.",
    );
  }
  await givePassphrase(homeEnvelope(), output);
  const { files } = await withoutDaemon("pm decrypt", () => decryptHome(optionsFor(output)));
  output.result(
    { encrypted: false, files },
    `${tick("ok", output.colors)} Decrypted ${counted(files.length, "file")}. The key itself stays where it is.`,
  );
}

function optionsFor(output: Output): ConvertOptions {
  return { backups: backupFolders(), onFile: (file) => output.note(file) };
}

/** Asks for the passphrase where one is needed, is not known and can be asked for. */
export async function givePassphrase(envelope: Envelope | null, output: Output): Promise<void> {
  if (envelope?.source.kind !== "passphrase" || process.env[passphraseVariable] || !canAsk(output)) return;
  process.env[passphraseVariable] = await askSecret("Passphrase of the memory: ");
  unlock(envelope);
}

async function chooseIfMissing(output: Output): Promise<void> {
  if (!process.env[passphraseVariable]) process.env[passphraseVariable] = await newPassphrase(output);
}

/** @throws PommelError `usage` */
async function newPassphrase(output: Output): Promise<string> {
  const given = process.env.POMMEL_NEW_PASSPHRASE;
  if (given) return given;
  if (!canAsk(output)) {
    throw new PommelError(
      "usage",
      "There is no terminal to ask for a passphrase at.",
      `Set ${passphraseVariable}; with --rotate, the new one as POMMEL_NEW_PASSPHRASE.`,
    );
  }
  const once = await askSecret("A new passphrase: ");
  if (once !== "" && (await askSecret("Repeat it: ")) === once) return once;
  throw new PommelError("usage", "That is no passphrase, or they differ.", "Nothing was changed. Try again.");
}

const jsonOf = (source: KeySource) => ({
  source: source.kind,
  ...(source.kind === "file" && { path: source.path }),
});

function placeOf(source: KeySource): string {
  if (source.kind === "file") return `The key is in ${source.path}.`;
  if (source.kind === "keychain") return "The key is in the system's keychain.";
  return "Its key comes from the passphrase.";
}
