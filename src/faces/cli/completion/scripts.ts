import { quoteForShell } from "../../../base/text/shell.ts";
import type { CommandContext } from "../../../terminal/frame.ts";
import { ownStreams } from "../../../terminal/streams.ts";
import { buildProgram } from "../program.ts";
import {
  type CompletionPoint,
  listCompletionPlaces,
  listFlags,
  type OptionCandidate,
  renderValueBranches,
  type ValueOf,
  walkBranches,
} from "./complete.ts";

/** A completion script for bash 3.2 and newer. */
function renderBashScript(places: readonly CompletionPoint[]): string {
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
${renderValueBranches(places, renderBashAction)}
  esac
  case "$cur" in
  -*)
    case "$at" in
${places.map(({ at, options }) => `      ${quoteForShell(at)}) words=${quoteForShell(options.flatMap(listFlags).join(" "))} ;;`).join("\n")}
    esac
    ;;
  *)
    case "$at" in
${places.map((place) => `      ${quoteForShell(place.at)}) words=${renderBashWords(place)} ;;`).join("\n")}
    esac
    ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _pm pm pommel
`;
}

function renderBashWords({ commands, values, source }: CompletionPoint): string {
  const fixed = quoteForShell([...commands.map(({ name }) => name), ...values].join(" "));
  return source === null ? fixed : `${fixed}" ${renderBashRemembered(source)}"`;
}

/** Without descriptions: bash shows words only. */
const renderBashRemembered = (source: string) => `$(pm complete ${source} 2>/dev/null | cut -f1)`;

/** An empty answer makes bash offer files. */
function renderBashAction(value: ValueOf): string {
  if (value === "any") return "return";
  if (typeof value === "object" && "source" in value)
    return `COMPREPLY=($(compgen -W "${renderBashRemembered(value.source)}" -- "$cur")); return`;
  const source = value === "directory" ? "-d" : `-W ${quoteForShell(value.join(" "))}`;
  return `COMPREPLY=($(compgen ${source} -- "$cur")); return`;
}

/** A completion script for zsh, to be evaluated after `compinit` or put into the fpath as `_pm`. */
function renderZshScript(places: readonly CompletionPoint[]): string {
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
${renderValueBranches(places, renderZshAction)}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    case "$at" in
${places
  .map(({ at, options }) =>
    renderZshBranch(
      at,
      options.flatMap((option) => listFlags(option).map((flag) => renderZshDescription(flag, option.about))),
    ),
  )
  .join("\n")}
    esac
    _describe -o option found
    return
  fi
  case "$at" in
${places.map(renderZshCommands).join("\n")}
  esac
  if (( $#found )); then _describe command found; else _files; fi
}
if [[ $funcstack[1] == _pm ]]; then _pm "$@"; else compdef _pm pm pommel; fi
`;
}

function renderZshCommands({ at, commands, values, source }: CompletionPoint): string {
  const fixed = [
    ...commands.map(({ name, about }) => renderZshDescription(name, about)),
    ...values.map(quoteForShell),
  ];
  const also = source === null ? "" : `; _pm_remembered ${source}`;
  return `      ${quoteForShell(at)}) found=(${fixed.join(" ")})${also} ;;`;
}

function renderZshBranch(at: string, found: string[]): string {
  return `      ${quoteForShell(at)}) found=(${found.join(" ")}) ;;`;
}

/** "name:what it is"; a colon in the name itself would end it. */
function renderZshDescription(name: string, about: string): string {
  return quoteForShell(`${name.replaceAll(":", "\\:")}:${about}`);
}

function renderZshAction(value: ValueOf): string {
  if (value === "any") return "_files; return";
  if (typeof value === "object" && "source" in value)
    return `found=(); _pm_remembered ${value.source}; _describe value found; return`;
  if (value === "directory") return "_files -/; return";
  return `found=(${value.map(quoteForShell).join(" ")}); _describe value found; return`;
}

/** A completion script for fish 3 and newer. */
function renderFishScript(places: readonly CompletionPoint[]): string {
  const lines = places.flatMap(({ at, commands, options, values, source }) => {
    const here = `complete -c pm -n ${quoteForFish(`__pm_at ${quoteForFish(at)}`)}`;
    return [
      ...commands.map(({ name, about }) => `${here} -f -a ${quoteForFish(name)} -d ${quoteForFish(about)}`),
      ...(values.length > 0 ? [`${here} -f -a ${quoteForFish(values.join(" "))}`] : []),
      ...(source === null ? [] : [`${here} -f -a ${quoteForFish(renderFishRemembered(source))}`]),
      ...options.map((option) => `${here} ${renderFishOption(option)} -d ${quoteForFish(option.about)}`),
    ];
  });
  return `# fish completion for pm
function __pm_at -d 'Whether the commands typed so far are these'
    set -l typed (commandline -opc)
    set -e typed[1]
    set -l at ''
    set -l skip 0
    for word in $typed
        if test $skip = 1
            set skip 0
            continue
        end
        switch "$at:$word"
${renderFishCases(places)}
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join("\n")}
complete -c pommel -w pm
`;
}

function renderFishOption(option: OptionCandidate): string {
  const names = [
    ...(option.short ? [`-s ${option.short.slice(1)}`] : []),
    ...(option.long ? [`-l ${option.long.slice(2)}`] : []),
  ];
  if (option.value === "directory") names.push("-x -a '(__fish_complete_directories)'");
  else if (option.value === "any") names.push("-r");
  else if (typeof option.value === "object" && "source" in option.value)
    names.push(`-x -a ${quoteForFish(renderFishRemembered(option.value.source))}`);
  else if (option.value !== "none") names.push(`-x -a ${quoteForFish(option.value.join(" "))}`);
  return names.join(" ");
}

const renderFishRemembered = (source: string) => `(pm complete ${source} 2>/dev/null)`;

function renderFishCases(places: readonly CompletionPoint[]): string {
  const cases: string[] = [];
  for (const { at, commands, options } of places) {
    const withValue = options.filter(({ value }) => value !== "none").flatMap(listFlags);
    if (withValue.length > 0) {
      cases.push(
        `case ${withValue.map((flag) => quoteForFish(`${at}:${flag}`)).join(" ")}`,
        "    set skip 1",
      );
    }
    for (const { name } of commands) {
      cases.push(
        `case ${quoteForFish(`${at}:${name}`)}`,
        `    set at ${quoteForFish(`${at} ${name}`.trim())}`,
      );
    }
  }
  return cases.map((line) => `            ${line}`).join("\n");
}

/** A word in single quotes; fish escapes inside them with a backslash. */
function quoteForFish(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}

/** A completion script for PowerShell 5.1 and newer. */
function renderPowershellScript(places: readonly CompletionPoint[]): string {
  return `# PowerShell completion for pm
$PmPlaces = @{
${places.map((place) => `  ${quoteForPowershell(place.at)} = ${renderPsPlace(place)}`).join("\n")}
}
Register-ArgumentCompleter -Native -CommandName pm, pommel -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $at = ''
  $option = $null
  foreach ($element in ($commandAst.CommandElements | Select-Object -Skip 1)) {
    # What is being typed is no part of the place.
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    $word = $element.ToString()
    if ($null -ne $option) { $option = $null; continue }
    $known = $PmPlaces[$at].Options[$word]
    if ($null -ne $known) { if ($known.Takes) { $option = $known }; continue }
    $below = "$at $word".Trim()
    if ($PmPlaces.ContainsKey($below)) { $at = $below }
  }
  $place = $PmPlaces[$at]
  $found = [ordered]@{}
  $source = $null
  if ($null -ne $option) {
    foreach ($value in $option.Values) { $found[$value] = $value }
    $source = $option.Source
  } elseif ($wordToComplete -like '-*') {
    foreach ($flag in $place.Options.Keys) { $found[$flag] = $place.Options[$flag].About }
  } else {
    foreach ($name in $place.Commands.Keys) { $found[$name] = $place.Commands[$name] }
    foreach ($value in $place.Values) { $found[$value] = $value }
    $source = $place.Source
  }
  if ($source) {
    foreach ($line in (pm complete $source 2>$null)) {
      $value, $about = $line -split "\\t", 2
      $found[$value] = if ($about) { $about } else { $value }
    }
  }
  foreach ($value in $found.Keys) {
    if ($value -notlike "$wordToComplete*") { continue }
    [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $found[$value])
  }
}
`;
}

function renderPsPlace({ commands, options, values, source }: CompletionPoint): string {
  const named = commands.map(
    ({ name, about }) => `${quoteForPowershell(name)} = ${quoteForPowershell(about || name)}`,
  );
  const flags = options.flatMap((option) =>
    listFlags(option).map((flag) => `${quoteForPowershell(flag)} = ${renderPsOption(option)}`),
  );
  return `@{ Commands = [ordered]@{ ${named.join("; ")} }; Options = @{ ${flags.join("; ")} }; Values = ${renderPsList(values)}; Source = ${source === null ? "$null" : quoteForPowershell(source)} }`;
}

function renderPsOption({ about, value }: OptionCandidate): string {
  const values = Array.isArray(value) ? value : [];
  const source = typeof value === "object" && "source" in value ? quoteForPowershell(value.source) : "$null";
  return `@{ About = ${quoteForPowershell(about || "option")}; Takes = $${value !== "none"}; Values = ${renderPsList(values)}; Source = ${source} }`;
}

const renderPsList = (words: readonly string[]) => `@(${words.map(quoteForPowershell).join(", ")})`;

/** A word in single quotes. Only single quotes need doubling there, and PowerShell treats curly ones alike. */
const quoteForPowershell = (text: string) =>
  `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, (quote) => quote + quote)}'`;

/** The completion script of each shell. */
export const completionScripts = {
  bash: renderBashScript,
  zsh: renderZshScript,
  fish: renderFishScript,
  powershell: renderPowershellScript,
};

/** `pm completion <shell>`: makes the script from the program itself, so that it is never out of date. */
export async function completionCommand(
  { output }: CommandContext,
  shell: keyof typeof completionScripts,
): Promise<void> {
  const script = completionScripts[shell](listCompletionPlaces(await buildProgram(ownStreams)));
  output.result({ shell, script }, script.trimEnd());
}
