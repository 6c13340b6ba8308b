import { resolve } from "node:path";
import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { PommelError } from "../../../project/errors.ts";
import type { CommandContext } from "../../frame.ts";
import { humanBytes, tick } from "../../terminal/output.ts";
import { createProgress } from "../../terminal/progress.ts";
import { counted } from "../../terminal/text.ts";
import { openFile } from "./write.ts";

/** `pm export --all`: the whole memory as JSON Lines. */
export async function exportAllCommand(
  { cwd, output }: CommandContext,
  { to, force = false }: { to?: string; force?: boolean },
): Promise<void> {
  if (to === undefined) {
    throw new PommelError("usage", "The whole memory goes to a file.", "Name it: --to memory.jsonl.");
  }
  const project = await findProject(cwd);
  const path = resolve(cwd, to);
  const file = openFile(path, force);
  const progress = createProgress({ label: "Exporting", unit: "records" });
  let bytes = 0;
  try {
    const write = (text: string, done: number, total: number) => {
      file.write(text);
      bytes += Buffer.byteLength(text);
      progress.update(done, total);
    };
    const records = await call("exportMemory", { write }, project);
    file.finish();
    progress.finish();
    output.result(
      { to: path, records, bytes },
      `${tick("ok", output.colors)} Wrote ${counted(records, "record")} (${humanBytes(bytes)}) to ${path}.`,
    );
  } finally {
    progress.finish();
    file.discard();
  }
}
