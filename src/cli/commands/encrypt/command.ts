import type { Command } from "commander";
import { examples, run } from "../../frame.ts";

/** `pm encrypt` and `pm decrypt`: options and help; the code is loaded when it runs. */
export function declareEncrypt(program: Command): void {
  program
    .command("encrypt")
    .description("Encrypt what is stored: memory, index, backups, audit log, spool and log")
    .option("--key <source>", "file, file:PATH, keychain or passphrase (default: storage.key)")
    .option("--rotate", "replace the key; what is stored is not written anew")
    .addHelpText(
      "after",
      `${examples(
        ["pm encrypt", "with a new key file in ~/.config/pommel/keys"],
        ["pm encrypt --key passphrase", "asks for it now, and at each `pm start`"],
        ["pm encrypt --rotate --key keychain", "move the key into the system's keychain"],
        ["pm config set --global storage.encrypt true", "every project, when its daemon starts"],
      )}\n\nKeep a copy of the key in another place: without it, everything that is encrypted is lost.`,
    )
    .action(run(async () => (await import("./encrypt.ts")).encryptCommand));

  program
    .command("decrypt")
    .description("Store everything without encryption again")
    .addHelpText("after", examples(["pm decrypt", "the key itself stays where it is"]))
    .action(run(async () => (await import("./encrypt.ts")).decryptCommand));
}
