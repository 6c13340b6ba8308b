import { flagsOf, type OptionCandidate, type Place, type Source } from "./tree.ts";

/** A completion script for fish 3 and newer. */
export function fishScript(places: readonly Place[]): string {
  const lines = places.flatMap(({ at, commands, options, values, source }) => {
    const here = `complete -c pm -n ${quoted(`__pm_at ${quoted(at)}`)}`;
    return [
      ...commands.map(({ name, about }) => `${here} -f -a ${quoted(name)} -d ${quoted(about)}`),
      ...(values.length > 0 ? [`${here} -f -a ${quoted(values.join(" "))}`] : []),
      ...(source === null ? [] : [`${here} -f -a ${quoted(remembered(source))}`]),
      ...options.map((option) => `${here} ${optionArguments(option)} -d ${quoted(option.about)}`),
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
${walkCases(places)}
        end
    end
    test "$at" = "$argv[1]"
end
${lines.join("\n")}
complete -c pommel -w pm
`;
}

function optionArguments(option: OptionCandidate): string {
  const names = [
    ...(option.short ? [`-s ${option.short.slice(1)}`] : []),
    ...(option.long ? [`-l ${option.long.slice(2)}`] : []),
  ];
  if (option.value === "directory") names.push("-x -a '(__fish_complete_directories)'");
  else if (option.value === "any") names.push("-r");
  else if (typeof option.value === "object" && "source" in option.value)
    names.push(`-x -a ${quoted(remembered(option.value.source))}`);
  else if (option.value !== "none") names.push(`-x -a ${quoted(option.value.join(" "))}`);
  return names.join(" ");
}

const remembered = (source: Source) => `(pm complete ${source} 2>/dev/null)`;

function walkCases(places: readonly Place[]): string {
  const cases: string[] = [];
  for (const { at, commands, options } of places) {
    const withValue = options.filter(({ value }) => value !== "none").flatMap(flagsOf);
    if (withValue.length > 0) {
      cases.push(`case ${withValue.map((flag) => quoted(`${at}:${flag}`)).join(" ")}`, "    set skip 1");
    }
    for (const { name } of commands) {
      cases.push(`case ${quoted(`${at}:${name}`)}`, `    set at ${quoted(`${at} ${name}`.trim())}`);
    }
  }
  return cases.map((line) => `            ${line}`).join("\n");
}

/** A word in single quotes; fish escapes inside them with a backslash. */
function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
