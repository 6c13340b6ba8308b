import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { oneLine } from "../../terminal/text.ts";

/** `pm event close <event>`. */
export async function eventCloseCommand(
  { cwd, output }: CommandContext,
  name: string,
  { archive = false, reopen = false }: { archive?: boolean; reopen?: boolean },
): Promise<void> {
  const wanted = reopen ? "active" : archive ? "archived" : "frozen";
  const { event, before } = await call("closeEvent", { event: name, status: wanted }, await findProject(cwd));
  const title = oneLine(event.title, 80);
  const linked =
    before === wanted
      ? `${title} is ${wanted} already.`
      : {
          active: `${title} is active again.`,
          frozen: `${title} is frozen.`,
          archived: `${title} is archived.`,
        }[wanted];
  output.result({ event, before }, `${tick("ok", output.colors)} ${linked}`);
}
