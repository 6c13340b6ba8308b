import { basename, resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { CommandContext } from "../../frame.ts";
import { humanBytes, tick } from "../../terminal/output.ts";
import { givePassphrase } from "../encrypt/encrypt.ts";

/** `pm backup`: copies the memory, while whoever writes to it goes on. */
export async function backupCommand({ cwd, output }: CommandContext, { to }: { to?: string }): Promise<void> {
  const project = await findProject(cwd);
  await givePassphrase(output);
  // A final slash says that it is a directory.
  const target = to === undefined ? undefined : resolve(cwd, to) + (/[\\/]$/.test(to) ? "/" : "");
  const { file, bytes, at, isEncrypted, key } = await call("backUp", { to: target }, project);
  output.result({ file, bytes, at: new Date(at).toISOString(), encrypted: isEncrypted }, () =>
    [
      `${tick("ok", output.colors)} Backed up the memory to ${file} (${humanBytes(bytes)}).`,
      ...(key ? [`It is encrypted: keep ${basename(key)} beside it, and a copy of the key elsewhere.`] : []),
    ].join("\n"),
  );
}
