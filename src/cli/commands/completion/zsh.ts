import { shellQuoted } from "../../../text/shell.ts";
import { flagsOf, type Place, type ValueOf, valueBranches, walkBranches } from "./tree.ts";

/** A completion script for zsh, to be evaluated after `compinit` or put into the fpath as `_pm`. */
export function zshScript(places: readonly Place[]): string {
  return `#compdef pm pommel
_pm_remembered() {
  local line name
  for line in \${(f)"$(pm complete $1 2>/dev/null)"}; do
    name=\${line%%$'\\t'*}
    if [[ $line == *$'\\t'* ]]; then
      found+=("\${name//:/\\\\:}:\${line#*$'\\t'}")
    else
      found+=("\${name//:/\\\\:}")
    fi
  done
}
_pm() {
  local at='' i
  local -a found
  for ((i = 2; i < CURRENT; i++)); do
    case "$at:$words[i]" in
${walkBranches(places)}
    esac
  done
  case "$at:$words[CURRENT-1]" in
${valueBranches(places, actionFor)}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case "$at" in
${places
  .map(({ at, options }) =>
    branch(
      at,
      options.flatMap((option) => flagsOf(option).map((flag) => described(flag, option.about))),
    ),
  )
  .join("\n")}
    esac
    _describe -o option found
    return
  fi
  case "$at" in
${places.map(commandBranch).join("\n")}
  esac
  if (( $#found )); then _describe command found; else _files; fi
}
if [[ $funcstack[1] == _pm ]]; then _pm "$@"; else compdef _pm pm pommel; fi
`;
}

function commandBranch({ at, commands, values, source }: Place): string {
  const fixed = [...commands.map(({ name, about }) => described(name, about)), ...values.map(shellQuoted)];
  const also = source === null ? "" : `; _pm_remembered ${source}`;
  return `      ${shellQuoted(at)}) found=(${fixed.join(" ")})${also} ;;`;
}

function branch(at: string, found: string[]): string {
  return `      ${shellQuoted(at)}) found=(${found.join(" ")}) ;;`;
}

/** "name:what it is"; a colon in the name itself would end it. */
function described(name: string, about: string): string {
  return shellQuoted(`${name.replaceAll(":", "\\:")}:${about}`);
}

function actionFor(value: ValueOf): string {
  if (value === "any") return "_files; return";
  if (typeof value === "object" && "source" in value)
    return `found=(); _pm_remembered ${value.source}; _describe value found; return`;
  if (value === "directory") return "_files -/; return";
  return `found=(${value.map(shellQuoted).join(" ")}); _describe value found; return`;
}
