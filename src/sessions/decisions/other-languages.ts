/**
 * Choices that a person types in a language other than English: few ways to put one, each by a table of words. As in English, what
 * asks, doubts, plans or reports is none (choice.ts).
 */
interface Language {
  /** Puts no spaces between words. */
  isUnspaced?: boolean;
  /** Stands before a colon: "Beslutning: ...". */
  marker: string;
  /** Says that it was decided: "vi har besluttet". */
  declared: string;
  /** Asks for it: "lad os bruge". */
  adopting: string;
  contrast: string;
  reason: string;
  /** What is not settled, or is told. */
  open: string;
}

/** Words are whole ones where a language puts spaces between them; `*` stands for any ending. */
const languages: Readonly<Record<string, Language>> = {
  danish: {
    marker: "beslutning|besluttet|valg",
    declared: "vi (?:har )?(?:besluttede|besluttet|valgte|valgt)|(?:jeg|vi) har bestemt|det er besluttet",
    adopting:
      "lad os (?:ikke )?(?:bruge|holde|beholde|skifte|undgå|gå med|gemme|kalde)|brug|behold|hold fast|vi (?:bruger|beholder|vælger|skal bruge)",
    contrast: "i stedet for|frem for|fremfor|og ikke|hellere end",
    reason: "fordi|så (?:at|vi undgår)|for at|eftersom|ellers",
    open: "måske|kunne|kan vi|skal vi|overvej*|virker ikke|fejl*|var|havde|senere|foreløbig",
  },
  german: {
    marker: "entscheidung|entschieden|beschluss",
    declared:
      "wir haben (?:uns )?(?:\\S+ ){0,8}(?:entschieden|beschlossen)|entschieden, dass|wir (?:entscheiden uns|entschieden uns) für",
    adopting:
      "lass(?:t)? uns|verwende*|benutze*|nutze*|nimm|nehmt|wir (?:nehmen|verwenden|nutzen|bleiben bei|behalten)|bitte (?:verwende|nutze|nimm|behalte)",
    contrast: "statt|anstatt|anstelle|und nicht|lieber als|nicht (?:in|als|mit|über)",
    reason: "weil|damit|da (?:wir|es|sonst|die|der|das)|um (?:\\S+ ){1,6}zu|sonst|denn",
    open: "vielleicht|eventuell|könnt*|sollten wir|wäre|würde|überleg*|fehler*|kaputt|war|hatte|später|vorerst|erstmal",
  },
  french: {
    marker: "décision|choix|décidé",
    declared: "(?:nous avons|on a|j['’]ai) (?:décidé|choisi|retenu)|il a été décidé",
    adopting:
      "utilis(?:e|ons|ez)|gard(?:e|ons|ez)|préfér(?:e|ons|ez)|on (?:utilise|garde|reste sur|passe à|va utiliser)|partons sur|évit(?:e|ons|ez)",
    contrast: "plutôt que|au lieu d[e'’]\\S*|à la place d[e'’]\\S*|et (?:pas|non)",
    reason:
      "parce qu[e'’]\\S*|car|pour (?:éviter|que|ne pas|garder|rester)|afin d[e'’]\\S*|sinon|puisqu[e'’]\\S*",
    open: "peut-être|pourrai[ts]|pourrions|faudrait|erreur*|échou*|était|avait|plus tard|pour l['’]instant",
  },
  spanish: {
    marker: "decisión|decidido",
    declared: "(?:hemos decidido|decidimos|he decidido|se decidió|hemos elegido|elegimos)",
    adopting:
      "usa|usemos|usad|use|vamos a usar|mantén|mantengamos|prefiero|preferimos|evita|evitemos|quedémonos con|guarda|guardemos",
    contrast: "en (?:vez|lugar) de|y no|antes que",
    reason: "porque|para (?:que|evitar|no)|ya que|así|si no|puesto que",
    open: "quizás?|tal vez|podría*|podemos|deberíamos|error*|falla*|era|había|más tarde|luego|por ahora",
  },
  portuguese: {
    marker: "decisão|decidido",
    declared: "(?:decidimos|decidi|foi decidido|ficou decidido|escolhemos|optamos por)",
    adopting:
      "use|usa|vamos usar|usemos|mantenha|mantém|vamos manter|prefiro|preferimos|evite|vamos evitar|guarde",
    contrast: "em vez de|ao invés de|no lugar de|e não",
    reason: "porque|para (?:que|evitar|não)|já que|pois|senão|assim",
    open: "talvez|poderia*|podemos|deveríamos|erro*|falha*|era|estava|depois|mais tarde|por enquanto",
  },
  japanese: {
    isUnspaced: true,
    marker: "決定(?:事項)?|方針",
    declared: "ことに(?:決め|し)(?:ました|た|ます)|(?:に|と)(?:決め|決定し)(?:ました|た|ます)",
    adopting:
      "を使[おっいう]|を採用|にしよう|にしましょう|にします|にしてください|で統一|のままに|を使って(?:ください|ほしい)|は使わない",
    contrast: "ではなく|じゃなく|でなく|の代わりに|をやめて",
    reason: "なので|ため|ので|からです|から[、。]|ように",
    open: "かもしれ|どうでしょう|でしょうか|検討|ますか|エラー|でした|だった|ていた|後で|とりあえず",
  },
  chinese: {
    isUnspaced: true,
    marker: "决定|決定|决策|決策",
    declared:
      "(?:我们|我們|我)(?:已经|已經)?(?:决定|決定|选择了|選擇了)|(?:决定|決定)(?:使用|采用|採用|改用|不用|保留)",
    adopting: "使用|采用|採用|改用|改成|换成|換成|保留|统一用|統一用|不要用|请用|請用|就用",
    contrast: "而不是|而非|代替|取代|不要再用",
    reason: "因为|因為|由于|由於|以免|避免|这样|這樣|否则|否則",
    open: "也许|也許|可能|考虑|考慮|要不要|是否|可以吗|可以嗎|报错|報錯|错误|錯誤|之前|原来|原來|以后再|以後再|暂时|暫時",
  },
};

/** Letters of languages that put no spaces between words, where four are about one word. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const limits = { minWords: 5, maxWords: 70, minUnspaced: 8, maxCharacters: 700 } as const;

const patterns = Object.values(languages).map((language) => {
  const isSpaced = language.isUnspaced !== true;
  const whole = (words: string, before = "", after = "") => {
    const source = words.replaceAll("*", isSpaced ? "\\p{L}*" : "");
    return new RegExp(
      isSpaced ? `${before}(?<![\\p{L}])(?:${source})(?![\\p{L}])${after}` : `${before}(?:${source})${after}`,
      "iu",
    );
  };
  return {
    marker: whole(language.marker, "^[\\s#>*-]*", "\\s*[:：]\\s*\\S"),
    declared: whole(language.declared),
    adopting: whole(language.adopting),
    contrast: whole(language.contrast),
    reason: whole(language.reason),
    open: whole(language.open),
  };
});

/** Whether a sentence that a person typed chooses, in one of these languages. */
export function isChoiceElsewhere(sentence: string): boolean {
  if (
    sentence.length > limits.maxCharacters ||
    /[?？]["'»”」）)\s]*$/.test(sentence) ||
    sentence.startsWith("<")
  )
    return false;
  const words = sentence.split(/\s+/).length;
  const isLong = words >= limits.minWords || (sentence.match(unspaced)?.length ?? 0) >= limits.minUnspaced;
  if (!isLong || words > limits.maxWords) return false;
  return patterns.some(({ marker, declared, adopting, contrast, reason, open }) => {
    if (marker.test(sentence)) return true;
    if (open.test(sentence)) return false;
    return (
      declared.test(sentence) ||
      (adopting.test(sentence) && (contrast.test(sentence) || reason.test(sentence)))
    );
  });
}
