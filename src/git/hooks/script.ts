import { PommelError } from "../../project/errors.ts";
import type { GitHookName } from "../../protocol/hooks.ts";

/**
 * What stands in a hook of git. Hooks are handled as latin1, a character per byte, so that whatever else is in them stays
 * as it is.
 */

/** Which lines of a hook are a project's own. */
export interface BlockKey {
  hook: GitHookName;
  /** Where the project lies in its repository: "" at its top, else such as "packages/a". */
  within: string;
}

/**
 * Starts `pommel` (`pm` is another program's name on some machines) in the background, with nothing of git's open, so that
 * neither git nor whoever started it waits. What a following commit would change is read before. It must leave the rest of
 * a hook alone: its arguments, its stdin, its directory and its variables are as they were, and no command here can fail.
 */
const scripts: Record<GitHookName, (pm: string) => string> = {
  // A rebase makes commit after commit, and tells of all at its end.
  "post-commit": (pm) => `\
if [ ! -d "\${GIT_DIR:-.git}/rebase-merge" ] && [ ! -d "\${GIT_DIR:-.git}/rebase-apply" ] &&
  command -v pommel >/dev/null 2>&1; then
  (
    set -- $(git rev-parse HEAD --symbolic-full-name HEAD 2>/dev/null)
    ${pm} "\${1-}" "\${2-}"@ </dev/null >/dev/null 2>&1 &
  ) || :
fi
`,
  // The list on stdin is for the rest of the hook as well.
  "post-rewrite": (pm) => `\
if command -v pommel >/dev/null 2>&1; then
  pommel_list=$(cat) || :
  (
    ${pm} "\${1-}"@ >/dev/null 2>&1 <<POMMEL &
$pommel_list
POMMEL
  ) || :
  exec <<POMMEL
$pommel_list
POMMEL
  unset pommel_list
fi
`,
  // A remote without a name is a URL, which is nobody's business. What is pushed stays on stdin.
  "pre-push": (pm) => `\
if command -v pommel >/dev/null 2>&1; then
  (
    [ "\${1-}" != "\${2-}" ] || set -- ""
    ${pm} "\${1-}"@ </dev/null >/dev/null 2>&1 &
  ) || :
fi
`,
};

const about: Record<GitHookName, string> = {
  "post-commit": "Records the commit",
  "post-rewrite": "Records amended and rebased commits",
  "pre-push": "Shares the memory after a push (sync.on_push)",
};

/** Our lines in a hook, the last one ended. */
export function blockOf({ hook, within }: BlockKey): string {
  const where = within === "" ? "" : ` ${quote(`./${within}`)}`;
  const script = scripts[hook](`pommel hook git-${hook}`).replace("@", () => latin1(where));
  const name = nameOf(within);
  return `# >>> ${name} >>> ${about[hook]}, in the background. \`pm disable\` removes these lines.\n${script}# <<< ${name} <<<\n`;
}

function nameOf(within: string): string {
  return within === "" ? "pommel" : `pommel ${encodeURI(within)}`;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A hook that Pommel made, without our lines. */
export const stub = "#!/bin/sh\n# Made by Pommel.\n";

/** A hook that runs another in its place, without our lines: what stands before them, and after. */
export interface Wrapper {
  head: string;
  tail: string;
}

/** @param kept where the hook that was there is now, from the directory of hooks; plain characters only */
export function wrapperFor(kept: string): Wrapper {
  const file = `"\${0%/*}/${kept}"`;
  return {
    head: `#!/bin/sh\n# Made by Pommel: the hook that was here is ${kept}, and runs as before.\n`,
    // As git does it: what may not be executed is not.
    tail: `if [ -x ${file} ]; then exec ${file} "$@"; fi\n`,
  };
}

/** Where our lines are in a hook: [start, end); null when they are not. */
export function findBlock(
  text: string,
  { within }: Pick<BlockKey, "within">,
  file: string,
): [number, number] | null {
  const name = nameOf(within).replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const start = new RegExp(`^# >>> ${name} >>>`, "m").exec(text)?.index;
  if (start === undefined) return null;
  const last = new RegExp(`^# <<< ${name} <<<[^\\n]*(?:\\n|$)`, "m").exec(text.slice(start));
  if (last === null) {
    throw new PommelError(
      "settings_invalid",
      `Pommel's lines in ${file} begin with "# >>> ${nameOf(within)} >>>", and do not end.`,
      `Remove them by hand, or add "# <<< ${nameOf(within)} <<<" below them.`,
    );
  }
  return [start, start + last.index + last[0].length];
}

const shells = /^(?:sh|bash|dash|ash|zsh|ksh|ksh93|mksh)$/;
/** Options of theirs that change nothing about how a script is read. */
const options = /^(?:-[aefhuvxE]+|-o|pipefail|errexit|nounset|posix)$/;

/** Whether lines of a POSIX shell can be put in front of what a hook does. */
export function isShellScript(text: string): boolean {
  // A program, or a script with something packed behind it.
  if (text.includes("\0")) return false;
  // Without a first line that says what it is, it is run by sh.
  if (!text.startsWith("#!")) return true;
  const [line = ""] = text.slice(2).split("\n", 1);
  if (line.includes("\r")) return false;
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  if (baseName(words[0]) === "env") words.splice(0, words[1] === "-S" ? 2 : 1);
  return shells.test(baseName(words[0])) && words.slice(1).every((word) => options.test(word));
}

function baseName(path = ""): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Husky up to 8: this line starts the hook again from its beginning, so that ours belong below it. */
const huskyLine = /^[ \t]*\.[ \t][^\n]*_\/husky\.sh"?[ \t]*\r?(?:\n|$)/m;

/** Where our lines go in a shell script: after its first line, as what follows may end it. */
export function placeInScript(text: string): number {
  const husky = huskyLine.exec(text);
  if (husky !== null) return husky.index + husky[0].length;
  if (!text.startsWith("#!")) return 0;
  const end = text.indexOf("\n");
  return end === -1 ? text.length : end + 1;
}
