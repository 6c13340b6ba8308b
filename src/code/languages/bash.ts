import type { Language } from "./language.ts";

export const bash: Language = {
  id: "bash",
  title: "Bash",
  aliases: ["sh", "shell", "zsh"],
  extensions: ["sh", "bash", "zsh", "ksh", "bats"],
  filenames: [".bashrc", ".bash_profile", ".profile", ".zshrc", "PKGBUILD"],
  interpreters: ["sh", "bash", "zsh", "dash", "ksh", "ash"],
  grammar: {
    wasm: "bash",
    class: {},
    method: { function_definition: "function" },
    constant: { variable_assignment: "variable" },
    wrapper: ["declaration_command"],
    comment: ["comment"],
    block: ["compound_statement", "do_group", "if_statement", "case_statement", "case_item", "subshell"],
  },
};
