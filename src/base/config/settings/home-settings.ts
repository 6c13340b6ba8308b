import * as z from "zod/mini";
import { natural, type SettingDefinition } from "./setting.ts";

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

const editorChoices = `none, ${Object.keys(editors).join(", ")}, or an address with {path} and {line}`;

/** Whether a value of the setting `ui.editor` makes sense. */
function isEditor(value: string): boolean {
  if (value === "none" || Object.hasOwn(editors, value)) return true;
  return /^[a-z][a-z0-9+.-]*:\S*\{path\}\S*$/i.test(value) && !schemesOfBrowsers.test(value);
}

/** The address that opens `{path}` at `{line}`, or null for none. */
export function toEditorAddress(value: string): string | null {
  if (value === "none") return null;
  const address = Object.hasOwn(editors, value) ? editors[value]! : value;
  return address.replace("/{path}", "{path}");
}

/** The daemon, and what is kept in the home. */
export const homeSettings = {
  "daemon.autostart": {
    schema: z.boolean(),
    default: true,
    about:
      "Start the daemon in the background when a hook, a command or the MCP server needs it. After `pm daemon stop` it is not started until `pm daemon start` or the next boot. In CI it is started only if POMMEL_DAEMON_AUTOSTART is true.",
    who: "anyone who starts services by hand, or has them supervised",
    home: true,
    live: true,
  },
  "daemon.port": {
    schema: z.int().check(z.minimum(0), z.maximum(65_535)),
    default: 0,
    about:
      "The daemon's port on 127.0.0.1. If it is 0, Pommel derives a port from your home directory, or uses the next free one.",
    who: "anyone who forwards the port (`ssh -L`), or installs the page as an app",
    home: true,
  },
  "daemon.log_level": {
    schema: z.enum(["debug", "info", "warn", "error"]),
    default: "info" as "debug" | "info" | "warn" | "error",
    about: "How much the daemon writes into its log.",
    who: "anyone who investigates or reports a fault",
    home: true,
    live: true,
  },
  "backup.keep": {
    schema: natural,
    default: 7,
    about:
      "How many of the daemon's daily backups are kept. If it is 0, the daemon makes none. Backups made with `pm memory backup` do not count. They stay until you delete them, or until `pm memory forget` deletes them with the other backups.",
    who: "anyone who has little disk, or other backups",
    live: true,
  },
  "backup.folder": {
    schema: z.string(),
    default: "",
    about:
      "The directory for backups, with a subdirectory for each project. Choose one on another disk. If empty: beside the memory.",
    who: "anyone who wants backups on another disk",
    sensitive: true,
    live: true,
  },
  "storage.encrypt": {
    schema: z.boolean(),
    default: false,
    about:
      "Encrypt the memory, the index, backups, the audit log, data from hooks and the daemon's log. The daemon does this when it starts. `pm memory decrypt` undoes it (see docs/privacy.md).",
    who: "users of a shared machine or an unencrypted disk",
    home: true,
    sensitive: true,
  },
  "storage.key": {
    schema: z
      .string()
      .check(
        z.regex(/^(?:file|file:.+|keychain|passphrase)$/),
        z.describe("file, file:PATH, keychain or passphrase"),
      ),
    default: "file",
    about:
      "Where the key for storage.encrypt comes from: a file in ~/.config/pommel/keys or elsewhere, the system's keychain, or a passphrase, which `pm daemon start` asks for or reads from POMMEL_PASSPHRASE.",
    who: "anyone who does not want the key beside the data",
    home: true,
    sensitive: true,
  },
  "audit.enabled": {
    schema: z.boolean(),
    default: false,
    about:
      "Record every question in an audit log: its words without secrets, when it was asked, through which interface, and how much was returned (see docs/privacy.md).",
    who: "companies that must know what was asked",
    sensitive: true,
  },
  "ui.editor": {
    schema: z.string().check(z.refine(isEditor), z.describe(editorChoices)),
    default: "vscode",
    about: "The editor in which the page opens files.",
    who: "anyone who uses another editor than VS Code",
    sensitive: true,
    live: true,
  },
} satisfies Record<string, SettingDefinition>;
