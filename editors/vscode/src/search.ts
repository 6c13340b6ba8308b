import { basename, join } from "node:path";
import {
  CancellationTokenSource,
  commands,
  Position,
  type QuickPickItem,
  QuickPickItemKind,
  Selection,
  ThemeIcon,
  Uri,
  window,
} from "vscode";
import { type Found, foundBy, iconOf } from "./found.ts";
import type { Server } from "./server.ts";

interface Pick extends QuickPickItem {
  found?: Found;
  root?: Uri;
}

/** After the last key. Milliseconds. */
const debounceMs = 250;

/** A search box over code, sessions and commits of all open projects; what is chosen opens. */
export function search(
  server: Server,
  { query = "", only = "all" }: { query?: string; only?: "all" | "sessions" },
) {
  const picker = window.createQuickPick<Pick>();
  picker.placeholder =
    only === "all" ? "What does the code do? What was it about?" : "What was the session about?";
  picker.value = query;
  // Not in the API's types: best first, below the headings, instead of by where the label holds the words.
  Object.assign(picker, { sortByLabel: false });
  let timer: NodeJS.Timeout | undefined;
  let asked = new CancellationTokenSource();

  const ask = async () => {
    asked.cancel();
    asked = new CancellationTokenSource();
    const { token } = asked;
    const q = picker.value.trim();
    if (q === "") {
      picker.busy = false;
      picker.items = [];
      return;
    }
    picker.busy = true;
    const roots = await server.roots();
    const items = await Promise.all(roots.map((root) => picksIn(server, root, q, only, roots.length > 1)));
    if (token.isCancellationRequested) return;
    picker.busy = false;
    picker.items = items.flat();
  };
  picker.onDidChangeValue(() => {
    clearTimeout(timer);
    timer = setTimeout(() => void ask(), debounceMs);
  });
  picker.onDidAccept(() => {
    const [chosen] = picker.selectedItems;
    if (chosen?.found && chosen.root) {
      picker.hide();
      void open(chosen.found, chosen.root);
    }
  });
  picker.onDidHide(() => {
    clearTimeout(timer);
    asked.cancel();
    picker.dispose();
  });
  picker.show();
  void ask();
}

async function picksIn(
  server: Server,
  root: Uri,
  q: string,
  only: "all" | "sessions",
  areSeveral: boolean,
): Promise<Pick[]> {
  const answer = await server.ask("searchAll", only === "all" ? { q } : { q, only: ["sessions"] }, root);
  if (answer === null) return [];
  return foundBy(answer, only).flatMap(({ title, found }): Pick[] => [
    {
      label: areSeveral ? `${title} — ${basename(root.fsPath)}` : title,
      kind: QuickPickItemKind.Separator,
    },
    ...found.map((one) => pickOf(one, root)),
  ]);
}

/** Shows what a change of lines may touch (`file:first-last`); what is chosen opens. */
export async function showImpact(server: Server, lines: string, uri: Uri): Promise<void> {
  const answer = await server.ask("impact", { of: [lines] }, uri);
  const root = (await server.roots()).find((one) => uri.fsPath.startsWith(join(one.fsPath, "/")));
  if (answer === null || root === undefined) return;
  const names = answer.targets.map(({ name }) => name).join(", ") || lines;
  if (answer.total === 0) {
    void window.showInformationMessage([`Nothing is known to use ${names}.`, ...answer.notes].join(" "));
    return;
  }
  const picks = answer.touched.map(({ file, line, name, kind, is_test, through, distance }) =>
    pickOf(
      {
        icon: is_test ? "beaker" : iconOf(kind),
        label: name,
        description: `${file}:${line}`,
        detail: distance === 1 ? `uses ${through}` : `uses ${through}, ${distance} steps away`,
        open: { file, line },
      },
      root,
    ),
  );
  const more = answer.total - picks.length;
  const chosen = await window.showQuickPick(picks, {
    title: `A change of ${names} may touch ${answer.total}${more > 0 ? `, of which ${picks.length} are shown` : ""}`,
    matchOnDescription: true,
  });
  if (chosen?.found) await open(chosen.found, root);
}

const pickOf = (found: Found, root: Uri): Pick => ({
  label: found.label,
  description: found.description,
  iconPath: new ThemeIcon(found.icon),
  // The server has found it: the picker's own filter would hide what does not hold the words.
  alwaysShow: true,
  ...(found.detail === "" ? {} : { detail: found.detail }),
  found,
  root,
});

async function open({ open }: Found, root: Uri): Promise<void> {
  if ("command" in open) {
    await commands.executeCommand(open.command, root.toString(), ...open.args);
    return;
  }
  const at = new Position(open.line - 1, 0);
  await window.showTextDocument(Uri.file(join(root.fsPath, open.file)), { selection: new Selection(at, at) });
}
