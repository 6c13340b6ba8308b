import {
  isSpaced,
  listIdentifiers,
  makeTokenStream,
  nameKey,
  splitIdentifier,
  stem,
  stopWords,
  withoutSuffixes,
} from "../../base/text/tokens.ts";
import { findAbbreviations } from "./abbreviations.ts";

/** The kind of answer that a query wants; ranking weighs its signals by it. */
type Intent = "symbol" | "path" | "error" | "language";

/** A query, taken apart once for retrieval and every signal. */
export interface AnalysedQuery {
  raw: string;
  /** All its words in their order. */
  sequence: readonly string[];
  intent: Intent;
  /** It reads like the description of a type, not of what a function does. */
  asksForType: boolean;
  /** Names that the query spells as code, normalised: a chunk that defines one is surely meant. */
  namesAsWritten: ReadonlySet<string>;
  /** The query's words as they stand there. */
  written: ReadonlySet<string>;
  /** Normalised names the query may be speaking of: its identifiers, its words, neighbouring words joined. */
  nameKeys: string[];
  /** The stems of neighbouring words written as one, each with those of both: "URL-encoded" may be `urlencoded`. */
  joined: ReadonlyMap<string, readonly string[]>;
  /** The words that carry meaning, as written, each once. */
  words: string[];
  /** Stems of the words that carry meaning, each once, in order. */
  stems: string[];
  /** Tokens for the full-text index: the stems and their abbreviations, and names that look like code as a whole. */
  tokens: string[];
  /** Stems of what programs call what the query describes, each with how surely it is meant: 0 to 1. */
  terms: ReadonlyMap<string, number>;
}

/** More words than this add time, not meaning. */
const maxTokens = 64;

const looksLikeCode = /[a-z\d][A-Z]|[A-Z]{2,}[a-z]|_|\$|\d[A-Za-z]|[A-Za-z]\d/;
/** With a slash, or a file name with a usual extension: `server.ts`, but not `app.use`. */
const looksLikePath =
  /^[\w.@-]*(\/[\w.@-]+)+\/?$|^[\w.-]+\.([cm]?[jt]sx?|py|rb|go|rs|java|kts?|cs|c|cc|cpp|h|hpp|php|swift|scala|lua|sh|exs?|md|json|ya?ml|toml|html?|s?css|sql|proto|xml|txt|vue|svelte)$/i;
const looksLikeError =
  /\b(?:error|exception|panic(?:ked)?|traceback|fatal|failed|cannot|unexpected|undefined)\b.*[:"'`(]|^\s*at \S+ \(/i;

/** How descriptions of types begin ("A builder that …", "Represents …"); those of functions and most questions begin with what is done. */
const looksLikeType =
  /^(?:where(?:'s| is| are)? )?(?:an?|the|this|these|what|which|type|class|struct|interface|enum|errors?|options?|config|settings|base|abstract|common|default|represents|provides|defines|holds|contains|describes|encapsulates|implements|wraps|stores)\b/i;

/** Takes a query apart. Never fails; a query without a single word has no `tokens`. */
export function analyseQuery(raw: string): AnalysedQuery {
  const beginning = raw.slice(0, 10_000);
  const sequence = listIdentifiers(beginning).slice(0, maxTokens);
  const all = listIdentifiers(withoutSuffixes(beginning)).slice(0, maxTokens);
  const intent = detectIntent(raw, all);
  // In "HttpClient get" the second word is a name; in a sentence it would mean nothing.
  const meaningful = intent === "language" ? all.filter((word) => !stopWords.has(word.toLowerCase())) : all;
  const words = meaningful.length > 0 ? meaningful : all;
  const stems = stemWords(words);
  const identifiers = words.filter((word) => looksLikeCode.test(word));
  const singles = words.map(nameKey);
  const pairs = all.slice(1).map((word, i) => nameKey(all[i]!) + nameKey(word));
  const triples = all.slice(2).map((word, i) => nameKey(all[i]!) + nameKey(all[i + 1]!) + nameKey(word));
  return {
    raw,
    sequence,
    intent,
    asksForType: intent === "language" && looksLikeType.test(raw.trim()),
    written: new Set(all),
    nameKeys: [...new Set([...singles, ...pairs, ...triples])].filter((key) => key.length > 1),
    joined: new Map(
      words
        .slice(1)
        .map((word, i) => [stem(nameKey(words[i]!) + nameKey(word)), stemWords([words[i]!, word])]),
    ),
    words: [...new Set(words)],
    stems,
    tokens: listQueryTokens(words, stems),
    terms: new Map(),
    namesAsWritten: new Set([...identifiers.map(nameKey), ...pairs, ...triples]),
  };
}

/** The query, asked with terms as well. */
export const withTerms = (query: AnalysedQuery, terms: ReadonlyMap<string, number>): AnalysedQuery => ({
  ...query,
  terms,
  tokens: [...new Set([...query.tokens, ...terms.keys()])],
});

function stemWords(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => splitIdentifier(word).map(stem)))];
}

/** Stems find more than words do, and sooner; names that look like code are looked for whole as well. */
function listQueryTokens(words: readonly string[], stems: readonly string[]): string[] {
  const whole = words.filter((word) => looksLikeCode.test(word) || !isSpaced(word));
  const short = stems.flatMap((one) => [...findAbbreviations(one)]);
  return [
    ...new Set([...stems, ...short, ...whole.flatMap((word) => makeTokenStream(word).split(" "))]),
  ].filter(Boolean);
}

function detectIntent(raw: string, words: readonly string[]): Intent {
  const trimmed = raw.trim();
  if (looksLikePath.test(trimmed)) return "path";
  if (looksLikeError.test(trimmed)) return "error";
  if (
    words.length <= 3 &&
    (words.some((word) => looksLikeCode.test(word)) || /^[\w$]+((::|\.|#|->)[\w$]+)+(\(\))?$/.test(trimmed))
  ) {
    return "symbol";
  }
  if (words.length === 1 && !/\s/.test(trimmed)) return "symbol";
  return "language";
}
