import { computeRarity } from "../../base/text/rarity.ts";
import { splitIdentifier, stem, stopWords } from "../../base/text/tokens.ts";
import { fillerWords, splitSentences } from "../summaries/prose.ts";

/** A text of a session. */
export interface TopicText {
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
interface SessionFrequencies {
  all: number;
  /** By the word's stem; a missing one is in none. */
  holding(stems: readonly string[]): ReadonlyMap<string, number>;
}

interface PhraseCandidate {
  phrase: readonly string[];
  /** Texts that have it, by whose they are. */
  in: Record<TopicText["by"], number>;
  forms: Map<string, number>;
}

const makePhraseKey = (phrase: readonly string[]) =>
  phrase.map((word) => splitIdentifier(word.replace(/\(\)$/, "")).map(stem).join(" ")).join(" ");

/**
 * Up to five phrases that say what a session is about, the most telling first: names and terms of people's words that come
 * back, by how often they do and in how few sessions they occur (class-based TF-IDF). None where nothing is sure: a phrase
 * that says nothing is worse.
 */
export function extractKeyPhrases(sources: readonly TopicText[], frequencies: SessionFrequencies): string[] {
  const chosen: ScoredPhrase[] = [];
  const isRead = isReadLanguage(sources);
  for (const one of scoreCandidates(collectPhraseCandidates(sources), frequencies)) {
    if (chosen.length === maxTopics) break;
    // Which words of another language are terms is not known: a name is one in all of them.
    if (!isRead && !one.isName) continue;
    // One that shares a word with another adds little.
    if (!chosen.some((other) => hasSharedWord(one.stems, other.stems))) chosen.push(one);
  }
  return chosen.map(({ text }) => text);
}

/** By the stems of their words. */
function collectPhraseCandidates(sources: readonly TopicText[]): Map<string, PhraseCandidate> {
  const found = new Map<string, PhraseCandidate>();
  for (const { text, by } of sources) {
    const here = new Set<string>();
    for (const phrase of listCandidatePhrases(text)) {
      const key = makePhraseKey(phrase);
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

/** The share of people's words that a text in English or Danish has from the lists; of fewer words nothing is said. Texts of sessions. */
const minListed = { share: 0.15, words: 30 } as const;

function isReadLanguage(sources: readonly TopicText[]): boolean {
  const prose = sources
    .filter(({ by }) => by === "person")
    .map(({ text }) => text.replace(/`[^`]*`|\S*[/_.:]\S+/g, " "));
  const all =
    prose
      .join(" ")
      .toLowerCase()
      .match(/\p{L}+/gu) ?? [];
  if (all.length < minListed.words) return true;
  return all.filter((word) => stopWords.has(word)).length >= minListed.share * all.length;
}

interface ScoredPhrase {
  text: string;
  isName: boolean;
  stems: string[];
  score: number;
}

function scoreCandidates(
  found: ReadonlyMap<string, PhraseCandidate>,
  { all, holding }: SessionFrequencies,
): ScoredPhrase[] {
  const frequencies = holding([...new Set([...found.keys()].flatMap((key) => key.split(" ")))]);
  const telling: ScoredPhrase[] = [];
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
    const rare =
      counts.reduce((sum, count) => sum + computeRarity(all, count), 0) /
      counts.length /
      computeRarity(all, 1);
    const shape = phrase.length > 1 ? 1.3 : isName ? 1 : 0.8;
    const score = Math.log(1 + 4 * title + 2 * person + agent) * rare * shape;
    if (score >= leastScore) telling.push({ text, isName, stems, score });
  }
  return telling.sort((a, b) => b.score - a.score);
}

/** `openClaw` is "openclaw" as well. */
const hasSharedWord = (a: readonly string[], b: readonly string[]) =>
  a.some((word) => b.includes(word)) || a.join("") === b.join("");

/** Runs of words within a sentence that a thing may be called, up to three words each. */
function* listCandidatePhrases(text: string): Iterable<string[]> {
  for (const run of splitIntoWordRuns(text)) {
    for (let from = 0; from < run.length; from++)
      for (let to = from + 1; to <= Math.min(run.length, from + longestPhrase); to++)
        yield run.slice(from, to);
  }
}

function* splitIntoWordRuns(text: string): Iterable<string[]> {
  for (const sentence of splitSentences(text)) {
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
      if (isWord && word.length > 1 && !isVerb && !isPhraseBreak(word.toLowerCase()) && !data.test(word)) {
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

/**
 * Verbs, adjectives and nouns that stand in every conversation about code. Collected by
 * reading the phrases of real sessions.
 */
const others = new Set(
  (
    "above across active add added adding address addressed addresses adds afterwards again against agent agents ago " +
    "almost along although always am among amount another anymore anyone anything anyway apart api appear appears " +
    "applied apply appreciate approach approaches architecture around array aside ask asked asking assume assuming " +
    "attempt available avoid aware away back bad base based become begin behavior behaviour behind believe below best " +
    "better between beyond big bit brainstorm branch branches break breaks bring broken bug bugs call called calling " +
    "calls came cannot care careful case cases catch cause caused causes cc chance change changed changes changing " +
    "checked checking checks choose ci class classes claude clean cleaner clear cli close closed codebase coding come " +
    "comes coming command commands comment comments commit commits committed compare compared complete completed " +
    "concern concerns config configuration confirm conflict conflicts confused consider considered consolidate " +
    "contain contains content context continue continued copy correct correctness couple cover covered create created " +
    "creates creating critical current cut data days deal debu debug decide decided decision deep default define " +
    "defined delete deleted depend depending depends describe described detail detailed details detect detection " +
    "determine developer developers didn differ difference different difficult dir direct directories directory " +
    "disable disabled discuss discussed docs document documentation documents doesn don double down draft drop due " +
    "during e.g each earlier easier easy edge edit either else empty enable enabled ended ending ends engineer enough " +
    "ensure ensures entire error errors etc even ever every everyone everything exact example examples except exist " +
    "existing exists expect expectation expectations expected expects experienced explain explicit explore extra fail " +
    "failed failing fails failure failures far feature features feedback feel few field fields figure fill filled " +
    "final find finding findings fine finish fire fires fits fix fixed fixes fixing focus folder folks follow " +
    "followed following follows force form format former found free fresh full function functionality functions " +
    "further future fyi gave general generate generated generates generating gennemgå getting give given gives giving " +
    "go goes going gone good got great group guess guide hand handle handled handles handling happen happened " +
    "happening happens happy hard having he head heavy hej hello help helper helpers helpful helps hence hey high him " +
    "his hmm hook hooks hope however http https huge i.e id idea ideas identify ids ignore ignored impact implement " +
    "implementation implemented implementing implements implies important improve improved improvement improvements " +
    "incl include included includes including incorrect indeed individual info information informative initial inside " +
    "install installed installs instead instruction instructions integration intended interesting interface internal " +
    "introduce introduced introduces invalid investigate invoked isn issue issues item items itself job json keep " +
    "keeping kept key kind kinds knew know known kør lack large largest last late later latest latter launch lead " +
    "leads least leave leaves leaving left less lets level lgtm limit lines link linked lint linter list listed " +
    "literal little loc local log logic logs long longer look looked looking looks lose lot low machine made main " +
    "major making manage manual many mark marked master match matches matter may maybe mean meaning meaningful means " +
    "meant meanwhile medium mention mentioned merge merged message messages method methods might mind minor miss " +
    "missed missing mistake mode modified modifies modify moment month months moreover most move moved moves moving " +
    "much multiple must name named names near necessary needed neither never newer nice nit nitpick nobody non none " +
    "nope nor normal note notes nothing notice number obvious occur occurs off offer often oh ok okay old older once " +
    "ones onto open opened opinion opt option optional options opts order original others otherwise ought ours " +
    "outdated output outputs outside overall own package packages parent part particular parts pass passed passes " +
    "passing past path paths pattern people per perform perhaps person pick picked pickup piece pieces place places " +
    "plan plans please plus point points possible potential pr practice pre prefer present pretty prevent previous " +
    "print prior pro problem problems proceed process produce project projects proper propose proposed provide " +
    "provided provides prs pull push pushed put question questions quick quickly quite raise ran rare rather raw re " +
    "read reading readme readme.md reads ready real reason reasonable reasons receive receives recent recommend " +
    "recommended redacted reduce redundant refactor refactored refactoring reference references regarding related " +
    "relevant remain remaining remains remember remove removed removes removing rename renamed replace replaced " +
    "replaces repo report reported repository request requested requests require required requirement requirements " +
    "requires research resolve resolved respond response rest result results ret return returned returning returns " +
    "reuse reused revert review reviewed reviewer reviewing reviews rewrite right root round run running runs said " +
    "same save saw say saying says scenario scenarios second section seeing seem seemed seems seen send sent separate " +
    "series serious session sessions set sets setting several shall share she shenanigans show showed showing shown " +
    "shows side sign silent similar simple simpler simplest simplified simplify since single situation size skilled " +
    "small smaller somebody somehow someone something sometimes somewhat somewhere soon sorry sort sound sounds " +
    "source sources space special specific specified split stable stand standard start started starting starts state " +
    "statement status stay step steps stop stopped stops straight strip strips strong struct stuff style suggest " +
    "suggested suggestion suggestions suggests summarize summary support supported supports supposed surprised switch " +
    "take taken takes taking talk task tasks tdd tell term terms tested testing text thank thanks themselves " +
    "therefore thing things thinking thinks third though thought thoughts thread threads three through throughout " +
    "throw thus ticket time times today todo together told took tool tools top total toward towards track tracked " +
    "tried tries trigger triggered triggers true try trying turn turned turns twice type types typical um umm " +
    "understand understanding unexpected unit unless unlike unnecessary until unused update updated updates updating " +
    "upon url use useful user users usual valid value values variable variables various verified verify version " +
    "versions versus via view wait wanted wants warning way ways weird well went whatever whenever whereas whether " +
    "whoever whole whose wide wip wire wiring wise within without wonder wondering word words work worked working " +
    "works world wouldn write writes writing written wrong wrote yagni yeah yes yesterday yet yours ændringer"
  ).split(" "),
);

/** Whether a phrase ends before a word: what is asked for or said of a thing is no part of its name. Lower-case. */
const isPhraseBreak = (word: string): boolean =>
  others.has(word) ||
  stopWords.has(word) ||
  fillerWords.has(word) ||
  /['’]/.test(word) ||
  (word.length > 4 && word.endsWith("ly"));
