import { addTo } from "../base/multimap.ts";
import { contextTerms, findSecretNear } from "./checks/secret-near.ts";
import { findSeedPhrases } from "./checks/seed-phrase.ts";
import { compileKeywords } from "./patterns/keywords.ts";
import {
  isExample,
  type ProviderRule,
  providerRules,
  type SecretRule,
  type SecretSpan,
  stopper,
} from "./patterns/rule.ts";
import type { SecretMatch } from "./scrubber.ts";
import { structures } from "./structures.ts";
import { endOfWrapped, matchAcrossLines } from "./view.ts";

/** A match with its rule's rank: of overlapping matches, the lowest rank gives the name. */
interface RankedMatch extends SecretMatch {
  rank: number;
}

/** Called where a keyword occurs. */
interface Listener {
  rank: number;
  /** Searched up to here. */
  done: number;
  hear(text: string, start: number, found: (span: SecretSpan, rule: string, type: string) => void): number;
}

/** The matches in a text, in order and without overlaps. */
export type SecretFinder = (text: string) => SecretMatch[];

/**
 * Finds secrets in a text: one pass for the keywords of all rules, then each rule where one of its keywords occurs.
 */
export function createFinder(rules: readonly SecretRule[]): SecretFinder {
  const listeners: Listener[] = [];
  const byKeyword = new Map<string, number[]>();
  const listen = (keywords: readonly string[], hear: Listener["hear"], rank: number) => {
    listeners.push({ rank, done: 0, hear });
    for (const keyword of keywords) {
      const lower = keyword.toLowerCase();
      addTo(byKeyword, lower, listeners.length - 1);
    }
  };
  const everywhere: { rule: SecretRule; rank: number }[] = [];

  rules.forEach((rule, rank) => {
    if (rule.keywords.length === 0) everywhere.push({ rule, rank });
    else listen(rule.keywords, rule.at === null ? listenToWholeText(rule) : listenAtKeyword(rule), rank);
  });
  let rank = rules.length;
  for (const provider of providerRules) {
    listen(provider.keywords, listenAroundKeyword(provider), rank++);
  }
  listen(
    ["-----end"],
    (text, start, found) => {
      const span = findPemTail(text, start);
      if (span) found(span, "private-key-end", "PRIVATE_KEY");
      return start;
    },
    rank++,
  );
  for (const { name, type, keywords, find } of structures) {
    listen(
      keywords,
      (text, start, found) => {
        const { spans, searched } = find(text, start);
        for (const span of spans) found(span, name, type);
        return searched;
      },
      rank++,
    );
  }
  const seedRank = rank++;
  for (const word of contextTerms) {
    listen(
      [word],
      (text, start, found) => {
        const match = findSecretNear(text, word, start);
        if (match) found({ ...match, next: match.end }, match.rule, match.type);
        return start;
      },
      rank,
    );
  }

  const keywords = [...byKeyword.keys()];
  const patternsByKeyword = keywords.map((keyword) => byKeyword.get(keyword)!);
  const scan = compileKeywords(keywords);

  return (text) => {
    const finds: RankedMatch[] = [];
    const used: Listener[] = [];
    try {
      scan(text, (keyword, start) => {
        for (const index of patternsByKeyword[keyword]!) {
          const listener = listeners[index]!;
          if (start < listener.done) continue;
          const next = listener.hear(text, start, (span, rule, type) => {
            addUnlessStopped(finds, text, {
              rule,
              type,
              start: span.start,
              end: span.end,
              rank: listener.rank,
            });
          });
          if (next <= listener.done) continue;
          if (listener.done === 0) used.push(listener);
          listener.done = next;
        }
      });
    } finally {
      for (const listener of used) listener.done = 0;
    }
    for (const { rule, rank } of everywhere) {
      for (const { start, end } of rule.findAll(text)) {
        addUnlessStopped(finds, text, { rule: rule.name, type: rule.type, start, end, rank });
      }
    }
    for (const { start, end } of findSeedPhrases(text)) {
      addUnlessStopped(finds, text, { rule: "seed-phrase", type: "SEED_PHRASE", start, end, rank: seedRank });
    }
    for (const find of finds) find.end = endOfWrapped(text, find.start, find.end);
    return merge(finds);
  };
}

function listenAtKeyword(rule: SecretRule): Listener["hear"] {
  return (text, start, found) => {
    if (rule.notBehind?.test(text[start - 1] ?? "") === true) return 0;
    const plain = rule.at!(text, start);
    const span =
      (rule.isWholeToken ? matchAcrossLines(text, start, rule.at!, plain !== null) : null) ?? plain;
    // Another of its keywords may begin earlier and end later: "--user" after "-u".
    if (span === null) return 0;
    found(span, rule.name, rule.type);
    return span.next;
  };
}

function listenToWholeText(rule: SecretRule): Listener["hear"] {
  return (text, _start, found) => {
    for (const span of rule.findAll(text)) found(span, rule.name, rule.type);
    return Number.POSITIVE_INFINITY;
  };
}

function listenAroundKeyword(provider: ProviderRule): Listener["hear"] {
  return (text, start, found) => {
    const from = Math.max(0, start - provider.before);
    const window = text.slice(from, start + provider.after);
    for (const [begin, end] of provider.find(window)) {
      if (isExample(window.slice(begin, end))) continue;
      found({ start: from + begin, end: from + end, next: from + end }, provider.name, provider.type);
    }
    // Windows overlap by the maximum length of a secret.
    return start + provider.after / 2;
  };
}

/** Trims stoppers from the ends of a match; stoppers inside were redacted before. */
function addUnlessStopped(finds: RankedMatch[], text: string, find: RankedMatch): void {
  let { start, end } = find;
  while (start < end && text[start] === stopper) start++;
  while (end > start && text[end - 1] === stopper) end--;
  if (start < end && !isPublic(text, start, end)) finds.push({ ...find, start, end });
}

/** What is made to be seen: in pages and apps, where anybody reads it. */
function isPublic(text: string, start: number, end: number): boolean {
  const name = text.slice(Math.max(0, start - 60), start);
  return (
    /(?:(?:publishable|public|site)[_-]?key|client[_-]?id)\\?["'\]]?[ \t]{0,4}[:=][ \t]{0,4}\\?["'`]?$/i.test(
      name,
    ) ||
    /placeholder\\?["']?[ \t]{0,2}[:=][ \t]{0,2}\{?\\?["'`](?:e\.g\.,? |for example |z\. ?B\. )?$/i.test(
      name,
    ) ||
    /^(?:pk_(?:test|live)_|phc_|pk\.eyJ)/.test(text.slice(start, end)) ||
    /^@o[0-9]+\.ingest\.(?:[a-z]+\.)?sentry\.io/.test(text.slice(end, end + 60))
  );
}

/** Merges overlapping matches. */
function merge(finds: RankedMatch[]): SecretMatch[] {
  finds.sort((a, b) => a.start - b.start || a.rank - b.rank);
  const merged: RankedMatch[] = [];
  for (const find of finds) {
    const last = merged.at(-1);
    if (last === undefined || find.start >= last.end) {
      merged.push({ ...find });
      continue;
    }
    last.end = Math.max(last.end, find.end);
    if (find.rank < last.rank) {
      last.rank = find.rank;
      last.rule = find.rule;
      last.type = find.type;
    }
  }
  return merged.map(({ rule, type, start, end }) => ({ rule, type, start, end }));
}

/**
 * The last lines of a private key whose beginning is missing, before its END line at `end`; null for other END lines.
 * Reads backwards while lines are base64.
 */
function findPemTail(text: string, end: number): SecretSpan | null {
  const marker = /-----END (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
  marker.lastIndex = end;
  if (!marker.test(text)) return null;
  let start = end;
  for (;;) {
    const lineEnd = text[start - 1] === "\n" ? start - 1 : text.endsWith("\\n", start) ? start - 2 : -1;
    if (lineEnd < 1) break;
    let lineStart = lineEnd;
    while (lineStart > 0 && lineEnd - lineStart < 100 && /[A-Za-z0-9+/=\r \t]/.test(text[lineStart - 1]!))
      lineStart--;
    // The "n" of an escaped line break belongs to the break.
    if (text[lineStart - 1] === "\\" && text[lineStart] === "n") lineStart++;
    const line = text.slice(lineStart, lineEnd).trim();
    if (!/^[A-Za-z0-9+/=]{4,100}$/.test(line)) break;
    if (line.length < 16 && start !== end) break;
    start = lineStart;
  }
  if (end - start < 20) return null;
  return { start, end: marker.lastIndex, next: marker.lastIndex };
}
