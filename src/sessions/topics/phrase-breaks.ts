import { stopWords } from "../../text/tokens.ts";
import { fillerWords } from "../summaries/words.ts";

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
export const breaksPhrase = (word: string): boolean =>
  others.has(word) ||
  stopWords.has(word) ||
  fillerWords.has(word) ||
  /['’]/.test(word) ||
  (word.length > 4 && word.endsWith("ly"));
