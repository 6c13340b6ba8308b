import type { Language } from "./language.ts";

export const elixir: Language = {
  id: "elixir",
  title: "Elixir",
  aliases: ["ex", "exs"],
  extensions: ["ex", "exs"],
  interpreters: ["elixir"],
  grammar: {
    wasm: "elixir",
    class: {},
    method: {},
    // Definitions are macro calls, so it is the called name that tells.
    keywords: {
      call: {
        defmodule: ["class", "module"],
        defprotocol: ["class", "protocol"],
        defimpl: ["class", "implementation"],
        def: ["method", "function"],
        defp: ["method", "function"],
        defmacro: ["method", "macro"],
        defmacrop: ["method", "macro"],
        defguard: ["method", "guard"],
        defguardp: ["method", "guard"],
        defdelegate: ["method", "function"],
      },
    },
    name: { call: ">arguments >* left* target*" },
    body: { call: ">do_block" },
    comment: ["comment"],
    attribute: ["unary_operator"],
    docAttributes: {
      before: /^@(?:doc|typedoc)\s+(?!false\b)/,
      inside: /^@(?:moduledoc|shortdoc)\s+(?!false\b)/,
    },
    block: ["do_block", "stab_clause", "anonymous_function", "list", "map", "body"],
  },
};
