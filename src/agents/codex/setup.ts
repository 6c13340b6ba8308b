import { statSync } from "node:fs";
import { join } from "node:path";
import { isTable, parseToml } from "../../base/config/config.ts";
import { unsetTable } from "../../base/config/toml-edit.ts";
import { getErrorMessage, PommelError } from "../../base/errors.ts";
import { makeInvalidSettingsError, readFileText } from "../../base/files/text-file.ts";
import { makeHooksPart } from "../setup/hook-entries.ts";
import { applyEdit, invertEdit } from "../setup/json-edit.ts";
import { isOurServer } from "../setup/json-entry.ts";
import { makeInstructionsPart, sharedSkill } from "../setup/section.ts";
import { makePart, makeSetup, type PartEditor, type SetupTarget } from "../setup.ts";
import { codexProfile } from "./profile.ts";
import {
  codexHooks,
  explainDistrust,
  findEffectivePlace,
  locateCodexDir,
  locateCodexHome,
  locateHooksFile,
} from "./trusted-hooks.ts";

const table = ["mcp_servers", "pommel"] as const;

/** The server `pommel` under `mcp_servers` in Codex's config.toml, at its end; what else is there stays as it is. */
export function makeTomlServerEditor(command: string, args: readonly string[]): PartEditor {
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
      if (isOurServer(entry)) return { state: "current", detail: [] };
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
        throw makeInvalidSettingsError(
          name,
          `cannot hold Pommel's entries: "mcp_servers" is not a table, or is inline`,
        );
      }
      return { text: added, added: [], empty: [], undo: [invertEdit(text, edit)] };
    },
    remove: (text) => unsetTable(text, table),
    isBlank: (text) => text.trim() === "",
  };
}

function parse(text: string, name: string): Record<string, unknown> {
  try {
    return parseToml(text, name);
  } catch (error) {
    throw makeInvalidSettingsError(name, `is not valid TOML (${getErrorMessage(error).split("\n")[0]})`);
  }
}

export const codexSetup = makeSetup(codexProfile, {
  parts: [
    makeHooksPart(locateHooksFile, codexHooks),
    makePart(
      "mcp",
      (place) => join(locateCodexDir(place), "config.toml"),
      makeTomlServerEditor("pommel", ["mcp"]),
    ),
    { ...makeInstructionsPart(listInstructionFiles), readsOne: true },
    sharedSkill,
  ],
  traces: (place) => [locateCodexDir(place), locateCodexHome(place.env)],
  distrust: explainDistrust,
  afterwards(place, parts) {
    const isProject = place.scope === "project";
    if (!parts.includes("hooks")) {
      if (!isProject || !parts.includes("mcp")) return [];
      return ["Codex reads .codex/config.toml once it trusts this project: it asks at its next start here."];
    }
    if (explainDistrust(place) === null) return [];
    const read = findEffectivePlace(place);
    if (read !== place) {
      return [
        `Codex uses the main worktree's hooks in linked ones: run \`pm init --agent codex\` in ${read.dir} as well.`,
      ];
    }
    const first = isProject ? "Start `codex` here, trust this project, and" : "Start `codex` and";
    return [
      `${first} trust Pommel's hooks with /hooks: until then Codex skips them, and \`codex exec\` does so silently.`,
    ];
  },
});

/**
 * Candidate instruction files, the one Codex reads first: it reads the first that exists, even if empty, in this order.
 * So `AGENTS.md` is created only where it hides no other.
 */
function listInstructionFiles(place: SetupTarget): string[] {
  const dir = place.scope === "user" ? locateCodexHome(place.env) : place.dir;
  const more = place.scope === "user" ? [] : readFallbackNames(place);
  const all = ["AGENTS.override.md", "AGENTS.md", ...more].map((name) => join(dir, name));
  const read = all.find(isFile) ?? join(dir, "AGENTS.md");
  return [read, ...all.filter((file) => file !== read)];
}

/** `project_doc_fallback_filenames`, the project's before the user's. */
function readFallbackNames(place: SetupTarget): string[] {
  for (const dir of [locateCodexDir(place), locateCodexHome(place.env)]) {
    const names = readConfiguredNames(join(dir, "config.toml"));
    if (names !== null) return names;
  }
  return [];
}

function readConfiguredNames(file: string): string[] | null {
  try {
    const text = readFileText(file);
    const names = text === null ? null : parseToml(text.body, file).project_doc_fallback_filenames;
    if (!Array.isArray(names)) return null;
    return names.filter((name) => typeof name === "string").filter((name) => /^(?!\.+$)[^/\\]+$/.test(name));
  } catch (error) {
    if (!(error instanceof PommelError)) throw error;
    // Codex does not start with an invalid file; the parts that need it report that.
    return null;
  }
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
