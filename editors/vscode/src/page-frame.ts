/** What the tab with Pommel's page says to the extension. */
export interface FromPage {
  /** `vscode://file/PATH:LINE` */
  open?: unknown;
}

/**
 * The document of the tab: a frame with the page, nothing else. It tells the page the editor's theme, and passes on what the
 * page asks for; it runs no other script and loads nothing else.
 * @param url of the page, on this machine
 * @param nonce for this document alone
 */
export function framePage(url: string, nonce: string): string {
  const { origin } = new URL(url);
  const quoted = (text: string) => JSON.stringify(text).replaceAll("<", "\\u003c");
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; frame-src ${origin}; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'" />
    <title>Pommel</title>
    <style nonce="${nonce}">
      html, body { height: 100%; margin: 0; padding: 0; overflow: hidden; }
      iframe { display: block; width: 100%; height: 100%; border: 0; }
    </style>
  </head>
  <body>
    <iframe title="Pommel" allow="clipboard-write"></iframe>
    <script nonce="${nonce}">
      const origin = ${quoted(origin)};
      const editor = acquireVsCodeApi();
      const frame = document.querySelector("iframe");
      const isLight = () => document.body.matches(".vscode-light, .vscode-high-contrast-light");
      const tellTheme = () => frame.contentWindow.postMessage({ theme: isLight() ? "light" : "dark" }, origin);
      addEventListener("message", (event) => {
        if (event.source === frame.contentWindow && event.origin === origin) editor.postMessage(event.data);
      });
      frame.addEventListener("load", tellTheme);
      new MutationObserver(tellTheme).observe(document.body, { attributeFilter: ["class"] });
      frame.src = ${quoted(url)};
    </script>
  </body>
</html>`;
}

/** The file and the line, counted from 1, of an address that the page asks to open; null where it is none. */
export function parseFileAddress(address: unknown): { path: string; line: number } | null {
  const [, path, line] = /^vscode:\/\/file(\/[^?#]+):(\d+)$/.exec(String(address)) ?? [];
  try {
    return path === undefined ? null : { path: decodeURIComponent(path), line: Math.max(1, Number(line)) };
  } catch {
    return null;
  }
}
