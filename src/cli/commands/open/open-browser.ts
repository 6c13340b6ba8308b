import { spawn } from "node:child_process";

/** How each system opens an address. None of them goes through a shell. */
const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** What opens a browser may itself become the browser: after so long it counts as opened. Milliseconds. */
const enoughMs = 1500;

/** Opens an address in the user's browser. @returns false if nothing could open it */
export function openBrowser(url: string, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...args] = openers[platform] ?? ["xdg-open"];
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
