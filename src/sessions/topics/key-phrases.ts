import { rarity } from "../../text/rarity.ts";
import { partsOf, stem } from "../../text/tokens.ts";
import { sentencesOf } from "../summaries/prose.ts";
import { breaksPhrase } from "./phrase-breaks.ts";

/** A text of a session. */
export interface Source {
  text: string;
  /** People's words count more than an agent's; what only an agent says is no topic. */
  by: "title" | "person" | "agent";
}

const maxTopics = 5;
const longestPhrase = 3;
/** What a quarter of all sessions speak of says nothing about one; of fewer sessions it may be by chance. */
const commonShare = 0.25;
const fewSessions = 20;
/** Of less nothing is said; found by reading. */
const leastScore = 0.65;

/** Words as a text has them: names with their dots, dashes and underscores; else runs of signs. */
const words = /[\p{L}\p{N}][\p{L}\p{N}_'’-]*(?:\.[\p{L}\p{N}_-]+)*(?:\(\))?…?|[^\s\p{L}\p{N}]+/gu;
const url = /\bhttps?:\/\/\S+|\b[\w.-]+\/…\/\S+|\[[A-Z_]+\]|<[^<>\s]+>/g;
const path = /(?:[\w.@~-]*\/)+([\w.@-]*)/g;
/** Numbers, hashes, dates; what was cut off. */
const data = /^(?:[\d.,:-]+\w?|(?=.*\d)[0-9a-f-]{6,}|v?\d[\w.-]*|\d{4}-.*|.{41,}|.*…)$/iu;
/** An identifier, a file's name, an acronym: it names one thing. */
const nameShape = /[\p{Ll}\d]\p{Lu}|[_.]|\(\)|^\p{Lu}{3,}s?$|^\p{Lu}+-\d+$/u;

/** In how many sessions words occur. */
export interface SessionFrequencies {
  all: number;
  /** By the word's stem; a missing one is in none. */
  holding(stems: readonly string[]): ReadonlyMap<string, number>;
}

interface Candidate {
  phrase: readonly string[];
  /** Texts that have it, by whose they are. */
  in: Record<Source["by"], number>;
  forms: Map<string, number>;
}

const keyOf = (phrase: readonly string[]) =>
  phrase.map((word) => partsOf(word.replace(/\(\)$/, "")).map(stem).join(" ")).join(" ");

/**
 * Up to five phrases that say what a session is about, the most telling first: names and terms of people's words that come
 * back, by how often they do and in how few sessions they occur (class-based TF-IDF). None where nothing is sure: a phrase
 * that says nothing is worse.
 */
export function keyPhrases(sources: readonly Source[], frequencies: SessionFrequencies): string[] {
  const chosen: Scored[] = [];
  for (const one of scored(candidatesIn(sources), frequencies)) {
    if (chosen.length === maxTopics) break;
    // One that shares a word with another adds little.
    if (!chosen.some((other) => overlap(one.stems, other.stems))) chosen.push(one);
  }
  return chosen.map(({ text }) => text);
}

/** By the stems of their words. */
function candidatesIn(sources: readonly Source[]): Map<string, Candidate> {
  const found = new Map<string, Candidate>();
  for (const { text, by } of sources) {
    const here = new Set<string>();
    for (const phrase of phrasesOf(text)) {
      const key = keyOf(phrase);
      if (key === "") continue;
      const known = found.get(key);
      // What only agents say is no topic: people's texts come first.
      if (known === undefined && by === "agent") continue;
      const candidate = known ?? { phrase, in: { title: 0, person: 0, agent: 0 }, forms: new Map() };
      const form = phrase.join(" ");
      candidate.forms.set(form, (candidate.forms.get(form) ?? 0) + 1);
      if (!here.has(key)) candidate.in[by]++;
      here.add(key);
      found.set(key, candidate);
    }
  }
  return found;
}

interface Scored {
  text: string;
  stems: string[];
  score: number;
}

function scored(found: ReadonlyMap<string, Candidate>, { all, holding }: SessionFrequencies): Scored[] {
  const frequencies = holding([...new Set([...found.keys()].flatMap((key) => key.split(" ")))]);
  const telling: Scored[] = [];
  for (const [
    key,
    {
      phrase,
      in: { title, person, agent },
      forms,
    },
  ] of found) {
    const text = [...forms].sort(([, a], [, b]) => b - a)[0]![0];
    const isName = phrase.length === 1 && nameShape.test(phrase[0]!);
    const places = 2 * title + person + agent;
    // A name or a term of several words is a topic if it comes back, another word only if the session is called by it.
    const isTopic =
      phrase.length > 1 || isName ? places >= 3 : title > 0 && places >= 5 && !/ed$/i.test(text);
    if (!isTopic) continue;
    const stems = key.split(" ");
    const counts = stems.map((one) => Math.max(frequencies.get(one) ?? 0, 1));
    if (all >= fewSessions && Math.min(...counts) > all * commonShare) continue;
    const rare = counts.reduce((sum, count) => sum + rarity(all, count), 0) / counts.length / rarity(all, 1);
    const shape = phrase.length > 1 ? 1.3 : isName ? 1 : 0.8;
    const score = Math.log(1 + 4 * title + 2 * person + agent) * rare * shape;
    if (score >= leastScore) telling.push({ text, stems, score });
  }
  return telling.sort((a, b) => b.score - a.score);
}

/** `openClaw` is "openclaw" as well. */
const overlap = (a: readonly string[], b: readonly string[]) =>
  a.some((word) => b.includes(word)) || a.join("") === b.join("");

/** Runs of words within a sentence that a thing may be called, up to three words each. */
function* phrasesOf(text: string): Iterable<string[]> {
  for (const run of runsOf(text)) {
    for (let from = 0; from < run.length; from++)
      for (let to = from + 1; to <= Math.min(run.length, from + longestPhrase); to++)
        yield run.slice(from, to);
  }
}

function* runsOf(text: string): Iterable<string[]> {
  for (const sentence of sentencesOf(text)) {
    const plain = sentence
      .replace(url, " . ")
      .replace(path, (_, name: string) => ` . ${name} . `)
      .replace(/['’]s\b/g, "");
    let run: string[] = [];
    let isFirst = true;
    for (const [found] of plain.matchAll(words)) {
      const word = found.replace(/[_-]+$/, "");
      const isWord = /^[\p{L}\p{N}]/u.test(word);
      // Requests begin with a verb.
      const isVerb = isFirst && /^\p{Lu}\p{Ll}+$/u.test(word);
      if (isWord) isFirst = false;
      if (isWord && word.length > 1 && !isVerb && !breaksPhrase(word.toLowerCase()) && !data.test(word)) {
        run.push(word);
        continue;
      }
      if (found === "`") continue;
      if (run.length > 0) yield run;
      run = [];
    }
    if (run.length > 0) yield run;
  }
}
