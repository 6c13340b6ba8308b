/**
 * VS Code's extension shows the page in a tab of the editor: a frame that nothing but the editor's own windows may be around
 * (`frame-ancestors`, src/daemon/http/page.ts). The editor says its theme, and is asked to open files.
 */
export const isInEditor = typeof window !== "undefined" && window.parent !== window;

/** How files are addressed to the editor that shows the page. */
export const editorAddress = "vscode://file{path}:{line}";

/** Opens a file by its address: in the editor that shows the page, else as the browser opens addresses. */
export function openEditorLink(link: string): void {
  if (isInEditor) window.parent.postMessage({ open: link }, "*");
  else location.href = link;
}

/** Hands links to files over to the editor, and takes its theme. */
export function followEditor(onTheme: (theme: "light" | "dark") => void): void {
  if (!isInEditor) return;
  addEventListener("message", ({ source, data }: MessageEvent<{ theme?: unknown } | null>) => {
    if (source === window.parent && (data?.theme === "light" || data?.theme === "dark")) onTheme(data.theme);
  });
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a")?.href : undefined;
    if (link?.startsWith(editorAddress.split("{")[0]!) !== true) return;
    event.preventDefault();
    openEditorLink(link);
  });
}
