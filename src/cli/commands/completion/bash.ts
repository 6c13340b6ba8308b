import { shellQuoted } from "../../../text/shell.ts";
import { flagsOf, type Place, type Source, type ValueOf, valueBranches, walkBranches } from "./tree.ts";

/** A completion script for bash 3.2 and newer. */
export function bashScript(places: readonly Place[]): string {
  return `# bash completion for pm
_pm() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' words='' i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at:\${COMP_WORDS[i]}" in
${walkBranches(places)}
    esac
  done
  COMPREPLY=()
  case "$at:$prev" in
${valueBranches(places, actionFor)}
  esac
  case "$cur" in
  -*)
    case "$at" in
${places.map(({ at, options }) => `      ${shellQuoted(at)}) words=${shellQuoted(options.flatMap(flagsOf).join(" "))} ;;`).join("\n")}
    esac
    ;;
  *)
    case "$at" in
${places.map((place) => `      ${shellQuoted(place.at)}) words=${wordsOf(place)} ;;`).join("\n")}
    esac
    ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _pm pm pommel
`;
}

function wordsOf({ commands, values, source }: Place): string {
  const fixed = shellQuoted([...commands.map(({ name }) => name), ...values].join(" "));
  return source === null ? fixed : `${fixed}" ${remembered(source)}"`;
}

/** Without descriptions: bash shows words only. */
const remembered = (source: Source) => `$(pm complete ${source} 2>/dev/null | cut -f1)`;

/** An empty answer makes bash offer files. */
function actionFor(value: ValueOf): string {
  if (value === "any") return "return";
  if (typeof value === "object" && "source" in value)
    return `COMPREPLY=($(compgen -W "${remembered(value.source)}" -- "$cur")); return`;
  const source = value === "directory" ? "-d" : `-W ${shellQuoted(value.join(" "))}`;
  return `COMPREPLY=($(compgen ${source} -- "$cur")); return`;
}
