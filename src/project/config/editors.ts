/** Editors by name, with the address that opens a file in each: `{path}` is absolute and begins with a slash. */
const editors: Readonly<Record<string, string>> = {
  cursor: "cursor://file{path}:{line}",
  idea: "idea://open?file={path}&line={line}",
  vscode: "vscode://file{path}:{line}",
  vscodium: "vscodium://file{path}:{line}",
  windsurf: "windsurf://file{path}:{line}",
  zed: "zed://file{path}:{line}",
};

/** What would run in the browser, or be shown by it, instead of opening an editor. */
const schemesOfBrowsers = /^(?:about|blob|data|file|https?|javascript|vbscript|view-source):/i;

export const editorChoices = `none, ${Object.keys(editors).join(", ")}, or an address with {path} and {line}`;

/** Whether a value of the setting `ui.editor` makes sense. */
export function isEditor(value: string): boolean {
  if (value === "none" || Object.hasOwn(editors, value)) return true;
  return /^[a-z][a-z0-9+.-]*:\S*\{path\}\S*$/i.test(value) && !schemesOfBrowsers.test(value);
}

/** The address that opens `{path}` at `{line}`, or null for none. */
export function editorAddress(value: string): string | null {
  if (value === "none") return null;
  const address = Object.hasOwn(editors, value) ? editors[value]! : value;
  return address.replace("/{path}", "{path}");
}
