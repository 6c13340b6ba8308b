import { flagsOf, type OptionCandidate, type Place } from "./tree.ts";

/** A completion script for PowerShell 5.1 and newer. */
export function powershellScript(places: readonly Place[]): string {
  return `# PowerShell completion for pm
$PmPlaces = @{
${places.map((place) => `  ${quoted(place.at)} = ${placeTable(place)}`).join("\n")}
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

function placeTable({ commands, options, values, source }: Place): string {
  const named = commands.map(({ name, about }) => `${quoted(name)} = ${quoted(about || name)}`);
  const flags = options.flatMap((option) =>
    flagsOf(option).map((flag) => `${quoted(flag)} = ${optionTable(option)}`),
  );
  return `@{ Commands = [ordered]@{ ${named.join("; ")} }; Options = @{ ${flags.join("; ")} }; Values = ${list(values)}; Source = ${source === null ? "$null" : quoted(source)} }`;
}

function optionTable({ about, value }: OptionCandidate): string {
  const values = Array.isArray(value) ? value : [];
  const source = typeof value === "object" && "source" in value ? quoted(value.source) : "$null";
  return `@{ About = ${quoted(about || "option")}; Takes = $${value !== "none"}; Values = ${list(values)}; Source = ${source} }`;
}

const list = (words: readonly string[]) => `@(${words.map(quoted).join(", ")})`;

/** A word in single quotes, in which only they mean anything: PowerShell takes curly ones for them, too. */
const quoted = (text: string) =>
  `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, (quote) => quote + quote)}'`;
