import { PommelError } from "../../base/errors.ts";
import { escapeRegExp } from "../../base/text/escape-reg-exp.ts";
import { quoteForShell } from "../../base/text/shell.ts";
import type { GitHookName } from "../../protocol/hooks.ts";

/** The content of git hooks. Hooks are read as latin1, one character per byte, so that other content is preserved. */

/** Identifies a project's block in a hook. */
interface BlockKey {
  hook: GitHookName;
  /** The project's path in its repository: "" at the top, or such as "packages/a". */
  within: string;
}

/**
 * Starts `pommel` (`pm` is another program's name on some machines) in the background without git's file descriptors,
 * so that neither git nor its caller waits. Reads HEAD first, before a following commit changes it. Leaves the rest of
 * the hook unaffected: arguments, stdin, directory and variables are preserved, and no command here can fail.
 */
const scripts: Record<GitHookName, (pm: string) => string> = {
  // A rebase reports all of its commits at its end.
  "post-commit": (pm) => `\
if [ ! -d "\${GIT_DIR:-.git}/rebase-merge" ] && [ ! -d "\${GIT_DIR:-.git}/rebase-apply" ] &&
  command -v pommel >/dev/null 2>&1; then
  (
    set -- $(git rev-parse HEAD --symbolic-full-name HEAD 2>/dev/null)
    ${pm} "\${1-}" "\${2-}"@ </dev/null >/dev/null 2>&1 &
  ) || :
fi
`,
  // The rest of the hook needs the list on stdin, too.
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
  // A remote without a name is a URL, which may hold credentials. Stdin stays for the rest of the hook.
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

/** Pommel's block in a hook, with a final line break. */
export function makeBlock({ hook, within }: BlockKey): string {
  const where = within === "" ? "" : ` ${quoteForShell(`./${within}`)}`;
  const script = scripts[hook](`pommel hook git-${hook}`).replace("@", () => toLatin1(where));
  const name = makeBlockName(within);
  return `# >>> ${name} >>> ${about[hook]}, in the background. \`pm disable\` removes these lines.\n${script}# <<< ${name} <<<\n`;
}

function makeBlockName(within: string): string {
  return within === "" ? "pommel" : `pommel ${encodeURI(within)}`;
}

function toLatin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}

/** A hook that Pommel created, without the block. */
export const stub = "#!/bin/sh\n# Made by Pommel.\n";

/** A hook that runs the one it replaced: the text before and after the block. */
export interface Wrapper {
  head: string;
  tail: string;
}

/** @param kept path of the replaced hook, relative to the hooks directory; plain characters only */
export function makeWrapper(kept: string): Wrapper {
  const file = `"\${0%/*}/${kept}"`;
  return {
    head: `#!/bin/sh\n# Made by Pommel: the hook that was here is ${kept}, and runs as before.\n`,
    // Like git, skip a hook that is not executable.
    tail: `if [ -x ${file} ]; then exec ${file} "$@"; fi\n`,
  };
}

/** The block's range in a hook, [start, end); null without one. */
export function findBlock(
  text: string,
  { within }: Pick<BlockKey, "within">,
  file: string,
): [number, number] | null {
  const name = escapeRegExp(makeBlockName(within));
  const start = new RegExp(`^# >>> ${name} >>>`, "m").exec(text)?.index;
  if (start === undefined) return null;
  const last = new RegExp(`^# <<< ${name} <<<[^\\n]*(?:\\n|$)`, "m").exec(text.slice(start));
  if (last === null) {
    throw new PommelError(
      "settings_invalid",
      `Pommel's lines in ${file} begin with "# >>> ${makeBlockName(within)} >>>", and do not end.`,
      `Remove them by hand, or add "# <<< ${makeBlockName(within)} <<<" below them.`,
    );
  }
  return [start, start + last.index + last[0].length];
}

const shells = /^(?:sh|bash|dash|ash|zsh|ksh|ksh93|mksh)$/;
/** Shell options that do not change how a script is parsed. */
const options = /^(?:-[aefhuvxE]+|-o|pipefail|errexit|nounset|posix)$/;

/** Whether POSIX shell lines can be inserted into the hook. */
export function isShellScript(text: string): boolean {
  // A binary, or a script with a binary payload.
  if (text.includes("\0")) return false;
  // Without a shebang, sh runs it.
  if (!text.startsWith("#!")) return true;
  const [line = ""] = text.slice(2).split("\n", 1);
  if (line.includes("\r")) return false;
  const words = line.split(/[ \t]+/).filter((word) => word !== "");
  if (stripDirectories(words[0]) === "env") words.splice(0, words[1] === "-S" ? 2 : 1);
  return shells.test(stripDirectories(words[0])) && words.slice(1).every((word) => options.test(word));
}

function stripDirectories(path = ""): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Husky up to 8: this line runs the hook again from its start, so the block goes below it. */
const huskyLine = /^[ \t]*\.[ \t][^\n]*_\/husky\.sh"?[ \t]*\r?(?:\n|$)/m;

/** Where the block goes in a shell script: after the shebang, because later lines may exit. */
export function placeInScript(text: string): number {
  const husky = huskyLine.exec(text);
  if (husky !== null) return husky.index + husky[0].length;
  if (!text.startsWith("#!")) return 0;
  const end = text.indexOf("\n");
  return end === -1 ? text.length : end + 1;
}

/** A hook without the block. */
export function withoutBlock(text: string, within: string, file: string): string {
  const found = findBlock(text, { within }, file);
  return found === null ? text : text.slice(0, found[0]) + text.slice(found[1]);
}

/** The path of the hook that a wrapper replaced; null for hooks that are not unmodified wrappers. */
export function findKeptHook(bare: string): string | null {
  const [, kept] =
    /^# Made by Pommel: the hook that was here is (\S+), and runs as before\.$/m.exec(bare) ?? [];
  if (kept === undefined) return null;
  const { head, tail } = makeWrapper(kept);
  return bare === head + tail ? kept : null;
}
