import type { Language } from "./language.ts";

export const ruby: Language = {
  id: "ruby",
  title: "Ruby",
  aliases: ["rb"],
  extensions: ["rb", "rake", "gemspec", "ru", "rbi", "podspec"],
  filenames: [
    "Rakefile",
    "Gemfile",
    "Guardfile",
    "Capfile",
    "Vagrantfile",
    "Podfile",
    "Fastfile",
    "Brewfile",
  ],
  interpreters: ["ruby", "rake", "jruby"],
  grammar: {
    wasm: "ruby",
    class: { class: "class", module: "module" },
    method: { method: "method", singleton_method: "method" },
    constant: { assignment: "constant" },
    name: { assignment: "left" },
    comment: ["comment"],
    block: ["body_statement", "block_body", "do_block", "then", "else", "hash", "array", "case"],
  },
};
