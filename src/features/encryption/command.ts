import type { Command } from "commander";
import { formatExamples, run } from "../../terminal/frame.ts";

/** `pm memory encrypt` and `decrypt`. */
export function declareEncryption(memory: Command): void {
  memory
    .command("encrypt")
    .description("Encrypt all stored data: memory, index, backups, audit log, data from hooks, log")
    .option("--key <source>", "file, file:PATH, keychain or passphrase (default: storage.key)")
    .option("--rotate", "replace the key, without writing the data again")
    .addHelpText(
      "after",
      `${formatExamples(
        ["pm memory encrypt", "with a new key file in ~/.config/pommel/keys"],
        ["pm memory encrypt --key passphrase", "asks for the passphrase now, and at each `pm daemon start`"],
        ["pm memory encrypt --rotate --key keychain", "move the key into the system's keychain"],
        ["pm config set --global storage.encrypt true", "encrypts all projects when the daemon starts"],
      )}\n\nKeep a copy of the key in another place: without it, everything that is encrypted is lost.`,
    )
    .action(run(async () => (await import("./pm-encrypt.ts")).encryptCommand));

  memory
    .command("decrypt")
    .description("Decrypt all stored data")
    .addHelpText("after", formatExamples(["pm memory decrypt", "the key itself stays where it is"]))
    .action(run(async () => (await import("./pm-encrypt.ts")).decryptCommand));
}
