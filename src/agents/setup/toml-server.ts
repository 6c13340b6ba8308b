import { isTable, parseToml } from "../../project/config/config.ts";
import { unsetTable } from "../../project/config/toml-edit.ts";
import { messageOf } from "../../project/errors.ts";
import { refusal } from "../../project/files/text-file.ts";
import type { PartEditor } from "../setup.ts";
import { applyEdit, inverseOf } from "./json-edit.ts";
import { runsOurServer } from "./json-entry.ts";

const table = ["mcp_servers", "pommel"] as const;

/** The server `pommel` under `mcp_servers` in Codex's config.toml, at its end; what else is there stays as it is. */
export function tomlServer(command: string, args: readonly string[]): PartEditor {
  const lines = [
    `[${table.join(".")}]`,
    `command = ${JSON.stringify(command)}`,
    `args = [${args.map((word) => JSON.stringify(word)).join(", ")}]`,
  ];
  return {
    look(text, name) {
      const servers = parse(text, name)[table[0]];
      const entry = isTable(servers) ? servers[table[1]] : undefined;
      if (entry === undefined) return { state: "absent", detail: [] };
      if (runsOurServer(entry)) return { state: "current", detail: [] };
      return { state: "kept", detail: ['another server is called "pommel"'] };
    },
    add(text, name) {
      parse(text, name);
      const eol = text.includes("\r\n") ? "\r\n" : "\n";
      const gap = text === "" ? "" : text.endsWith("\n") ? eol : eol + eol;
      const edit = { offset: text.length, remove: 0, put: `${gap}${lines.join(eol)}${eol}` };
      const added = applyEdit(text, edit);
      try {
        parse(added, name);
      } catch {
        throw refusal(name, `cannot hold Pommel's entries: "mcp_servers" is not a table, or is inline`);
      }
      return { text: added, added: [], empty: [], undo: [inverseOf(text, edit)] };
    },
    remove: (text) => unsetTable(text, table),
    isBlank: (text) => text.trim() === "",
  };
}

function parse(text: string, name: string): Record<string, unknown> {
  try {
    return parseToml(text, name);
  } catch (error) {
    throw refusal(name, `is not valid TOML (${messageOf(error).split("\n")[0]})`);
  }
}
