import { flagsOf, type Place, quoted, valueBranches, walkBranches } from "./tree.ts";

/** A completion script for zsh, to be evaluated after `compinit` or put into the fpath as `_pm`. */
export function zshScript(places: readonly Place[]): string {
  return `#compdef pm
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
${places.map(({ at, commands, values }) => branch(at, [...commands.map(({ name, about }) => described(name, about)), ...values.map(quoted)])).join("\n")}
  esac
  if (( $#found )); then _describe command found; else _files; fi
}
if [[ $funcstack[1] == _pm ]]; then _pm "$@"; else compdef _pm pm; fi
`;
}

function branch(at: string, found: string[]): string {
  return `      ${quoted(at)}) found=(${found.join(" ")}) ;;`;
}

/** "name:what it is"; a colon in the name itself would end it. */
function described(name: string, about: string): string {
  return quoted(`${name.replaceAll(":", "\\:")}:${about}`);
}

function actionFor(value: "directory" | "any" | string[]): string {
  if (value === "any") return "_files; return";
  if (value === "directory") return "_files -/; return";
  return `found=(${value.map(quoted).join(" ")}); _describe value found; return`;
}
