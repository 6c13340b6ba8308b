import { spawn } from "node:child_process";
import { faint, line, table } from "../../answers/document.ts";
import { locate } from "../../answers/file-place.ts";
import { PommelError } from "../../base/errors.ts";
import { findProgram } from "../../base/find-program.ts";
import { formatRelativeTime } from "../../base/text/relative-time.ts";
import { callDaemon, DaemonUnreachable } from "../../client/daemon-client.ts";
import { findProject } from "../../git/projects/find-project.ts";
import type { CommandContext } from "../../terminal/frame.ts";
import { showAnswer } from "../../terminal/render-document.ts";
import { formatCount } from "../../terminal/text.ts";
import { listBrowsers, signOut } from "./operation.ts";
import { createPageUrl, pageRoutes } from "./page-url.ts";

/**
 * The page's own address of a view, as the page's router reads it (src/page/router.ts).
 * @param place makes a path relative to the project's root
 * @throws PommelError `usage` for an unknown view, or one without what it needs
 */
export function buildPageRoute(
  view: string | undefined,
  what: readonly string[],
  place: (path: string) => string,
): string {
  const text = what.join(" ").trim();
  const need = (name: string) => {
    if (text === "")
      throw new PommelError("usage", `\`pm open ${view}\` needs ${name}.`, "See `pm open --help`.");
    return text;
  };
  switch (view) {
    case undefined:
    case "home":
      return pageRoutes.home;
    case "sessions":
      return pageRoutes.sessions;
    case "search":
      return pageRoutes.search(text === "" ? {} : { q: text });
    case "session":
      return pageRoutes.session(need("a session's id"));
    case "file": {
      const [, path = "", line] = /^(.*?)(?::(\d+))?$/s.exec(need("a path")) ?? [];
      return pageRoutes.file(place(path), line ?? null);
    }
    case "review":
      return pageRoutes.review(text);
    default:
      throw new PommelError(
        "usage",
        `The page has no view "${view}".`,
        "Choose from: home, search, sessions, session, file, review.",
      );
  }
}

interface OpenOptions {
  browser: boolean;
  browsers?: true;
  signOut?: string;
}

/** `pm open`: opens the local page, with a one-time code that signs the browser in; or lists browsers, or signs them out. */
export async function openCommand(
  context: CommandContext,
  view: string | undefined,
  what: string[],
  { browser, browsers, signOut: signedOut }: OpenOptions,
): Promise<void> {
  if (browsers) return printBrowsers(context);
  if (signedOut !== undefined) return signOutBrowser(context, signedOut);
  const { cwd, output } = context;
  const project = await findProject(cwd);
  const route = buildPageRoute(view, what, (path) => locate(project, cwd, path));
  const { url, expires_in_seconds } = await createPageUrl(project, route);
  const opened = browser && (await openBrowser(url));
  showAnswer(output, { url, opened, expires_in_seconds }, () => [
    [
      line(opened && "Opened ", url),
      ...(browser && !opened ? [line("No browser could be opened: open this address yourself.")] : []),
      line(faint(`It works once, within ${expires_in_seconds} seconds.`)),
    ],
  ]);
}

/** They end with the daemon: where none runs, no browser is signed in. */
async function askRunningDaemon<T>(ask: () => Promise<T>, otherwise: T): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof DaemonUnreachable && error.reason === "not_running") return otherwise;
    throw error;
  }
}

async function printBrowsers({ cwd, output }: CommandContext): Promise<void> {
  const answer = await askRunningDaemon(() => callDaemon(cwd, listBrowsers, {}), { browsers: [] });
  const { browsers } = answer;
  showAnswer(output, answer, () => [
    [
      browsers.length === 0
        ? line("No browser is signed in.")
        : table(
            ["id", "browser", "signed in", "last used"].map((title) => ({ title })),
            browsers.map(({ id, name, signed_in_at, last_used_at }) => [
              id,
              { text: name },
              formatRelativeTime(Date.parse(signed_in_at)),
              formatRelativeTime(Date.parse(last_used_at)),
            ]),
          ),
    ],
  ]);
}

async function signOutBrowser({ cwd, output }: CommandContext, which: string): Promise<void> {
  const request = which === "all" ? {} : { browser: which };
  const answer = await askRunningDaemon(() => callDaemon(cwd, signOut, request), { signed_out: 0 });
  output.result(answer, () => `Signed out ${formatCount(answer.signed_out, "browser")}.`);
}

/** How each system opens an address. None of them goes through a shell. */
const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** What opens a browser may itself become the browser: after so long it counts as opened. Milliseconds. */
const enoughMs = 1500;

/** Opens an address in the user's browser. @returns false if nothing could open it */
function openBrowser(url: string): Promise<boolean> {
  const [name, ...args] = openers[process.platform] ?? ["xdg-open"];
  const [program] = findProgram(name) ?? [];
  if (program === undefined) return Promise.resolve(false);
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { detached: true, stdio: "ignore", windowsHide: true });
    const timer = setTimeout(() => resolve(true), enoughMs);
    const end = (isOpened: boolean) => {
      clearTimeout(timer);
      resolve(isOpened);
    };
    child.on("error", () => end(false));
    child.on("exit", (code) => end(code === 0));
    child.unref();
  });
}
