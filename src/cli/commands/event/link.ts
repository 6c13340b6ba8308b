import { call } from "../../../client/call.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import type { CommandContext } from "../../frame.ts";
import { tick } from "../../terminal/output.ts";
import { counted, oneLine } from "../../terminal/text.ts";

/** `pm event link <event> <ids...>`. */
export function eventLinkCommand(context: CommandContext, name: string, targets: string[]): Promise<void> {
  return change(context, "link", name, targets);
}

/** `pm event unlink <event> <ids...>`. */
export function eventUnlinkCommand(context: CommandContext, name: string, targets: string[]): Promise<void> {
  return change(context, "unlink", name, targets);
}

async function change(
  { cwd, output }: CommandContext,
  how: "link" | "unlink",
  name: string,
  targets: string[],
): Promise<void> {
  const asked = { event: name, [how === "link" ? "add" : "remove"]: targets };
  const changed = await call("linkEvent", asked, await findProject(cwd));
  const count = (kind: string) =>
    new Set(changed.targets.filter((one) => one.kind === kind).map(({ id }) => id)).size;
  const what = [
    count("session") > 0 ? counted(count("session"), "session") : "",
    count("checkpoint") > 0 ? counted(count("checkpoint"), "checkpoint") : "",
  ].filter((part) => part !== "");
  const linked = how === "link" ? `Linked with ${what.join(" and ")}:` : `Removed ${what.join(" and ")}:`;
  output.result(changed, `${tick("ok", output.colors)} ${linked} ${oneLine(changed.event.title, 80)}`);
}
