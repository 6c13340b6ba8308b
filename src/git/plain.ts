/**
 * What makes git say the same whatever a person has configured. Goes before the command's name; the rest is done with
 * flags, as configuration that a command does not read from `-c` alone (attributes, the environment) needs them.
 */
export const plain: readonly string[] = [
  "--literal-pathspecs",
  // Every name stands on one line, and what is no ASCII comes as octal digits.
  ...["-c", "core.quotePath=true"],
  // As blame looks at history, so that what it says a commit added is what the commit's diff says.
  ...["-c", "diff.algorithm=myers", "-c", "diff.indentHeuristic=true"],
  ...["-c", "diff.autoRefreshIndex=true", "-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false"],
  ...[
    "-c",
    "diff.renameLimit=1000",
    "-c",
    "diff.suppressBlankEmpty=false",
    "-c",
    "diff.ignoreSubmodules=none",
  ],
  ...["-c", "color.ui=false", "-c", "core.warnAmbiguousRefs=false"],
];

/** Of the environment, what would change a command's output in spite of its flags. */
export const plainEnvironment: NodeJS.ProcessEnv = {
  GIT_DIFF_OPTS: undefined,
  GIT_EXTERNAL_DIFF: undefined,
  GIT_ICASE_PATHSPECS: undefined,
  GIT_GLOB_PATHSPECS: undefined,
  GIT_NOGLOB_PATHSPECS: undefined,
};

/** Flags of a diff that shows what changed, line by line, and how the files were called before. */
export const plainDiff: readonly string[] = [
  ...["-M", "-l1000", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "-O/dev/null"],
  ...["--src-prefix=a/", "--dst-prefix=b/", "--no-relative", "--inter-hunk-context=0", "--full-index"],
];
