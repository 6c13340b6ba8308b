import { pageUrl } from "../../../client/page-url.ts";
import { findProject } from "../../../git/projects/find-project.ts";
import { locate } from "../../../queries/blame/file-place.ts";
import type { CommandContext } from "../../frame.ts";
import { openBrowser } from "./open-browser.ts";
import { pageRoute } from "./page-route.ts";

/** `pm open`: opens the local page, with a one-time code that signs the browser in. */
export async function openCommand(
  { cwd, output }: CommandContext,
  view: string | undefined,
  what: string[],
  { browser }: { browser: boolean },
): Promise<void> {
  const project = await findProject(cwd);
  const route = pageRoute(view, what, (path) => locate(project, cwd, path));
  const { url, expires_in_seconds } = await pageUrl(project, route);
  const opened = browser && (await openBrowser(url));
  output.result({ url, opened, expires_in_seconds }, () =>
    [
      opened ? `Opened ${url}` : url,
      ...(browser && !opened ? ["No browser could be opened: open this address yourself."] : []),
      output.colors.dim(`It works once, within ${expires_in_seconds} seconds.`),
    ].join("\n"),
  );
}
