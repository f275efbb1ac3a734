/**
 * Which language captions are in: by script where it decides, else by the words that captions of each language use most.
 * Whole files are judged, never single captions. Written by hand: models of letter groups take text with a few words for
 * Scots or Norwegian, and a wrong language would change every figure of an English file.
 */
import { primaryLanguage } from './tokenization.js'

/** Captions that are read to find the language. */
export const LANGUAGE_SAMPLE = 2048

/**
 * The language of captions (BCP 47), or null where they do not show it: fewer than two words that are known, or as many of
 * English.
 */
export function detectLanguage(captions: readonly string[]): string | null {
  const sample = captions.slice(0, LANGUAGE_SAMPLE)
  const script = mainScript(sample)
  if (script === null) return null
  const languages = LANGUAGES_OF_SCRIPT[script]
  if (languages.length === 1) return languages[0]
  return mostUsed(sample, languages) ?? (script === 'Latin' ? null : languages[0])
}

/** English name of a language; the tag where there is none. */
export function nameLanguage(language: string): string {
  return new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language
}

/**
 * Words that a caption can have in a language whatever it shows, at most 10⁻³ of all words each: articles, prepositions,
 * pronouns, conjunctions, auxiliary verbs. Empty for a language that is not listed.
 */
export function functionWords(language: string): ReadonlySet<string> {
  return FUNCTION_WORDS[primaryLanguage(language)] ?? new Set()
}

type Script = keyof typeof LANGUAGES_OF_SCRIPT

/** The languages of each script that are told apart; the first is the one where words do not decide. */
const LANGUAGES_OF_SCRIPT = {
  Latin: [
    ...['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'sv', 'da', 'nb', 'fi', 'pl', 'cs', 'sk', 'hu', 'ro', 'tr'],
    ...['vi', 'id', 'sw', 'hr', 'sl', 'fil', 'ca', 'et', 'lv', 'lt', 'mi', 'quz'],
  ],
  Cyrillic: ['ru', 'uk', 'bg', 'sr'],
  Arabic: ['ar', 'fa', 'ur'],
  Devanagari: ['hi', 'mr', 'ne'],
  Han: ['zh'],
  Kana: ['ja'],
  Hangul: ['ko'],
  Greek: ['el'],
  Hebrew: ['he'],
  Thai: ['th'],
  Lao: ['lo'],
  Khmer: ['km'],
  Myanmar: ['my'],
  Bengali: ['bn'],
  Gujarati: ['gu'],
  Tamil: ['ta'],
  Telugu: ['te'],
  Kannada: ['kn'],
  Malayalam: ['ml'],
  Sinhala: ['si'],
  Georgian: ['ka'],
  Armenian: ['hy'],
  Ethiopic: ['am'],
} as const satisfies Record<string, readonly string[]>

/** First and last code of the letters of scripts. */
const RANGES: readonly (readonly [script: Script, first: number, last: number])[] = [
  ['Latin', 0x41, 0x5a],
  ['Latin', 0x61, 0x7a],
  ['Latin', 0xc0, 0x24f],
  ['Latin', 0x1e00, 0x1eff],
  ['Greek', 0x370, 0x3ff],
  ['Cyrillic', 0x400, 0x52f],
  ['Armenian', 0x530, 0x58f],
  ['Hebrew', 0x5d0, 0x5ea],
  ['Arabic', 0x620, 0x6ff],
  ['Devanagari', 0x900, 0x97f],
  ['Bengali', 0x980, 0x9ff],
  ['Gujarati', 0xa80, 0xaff],
  ['Tamil', 0xb80, 0xbff],
  ['Telugu', 0xc00, 0xc7f],
  ['Kannada', 0xc80, 0xcff],
  ['Malayalam', 0xd00, 0xd7f],
  ['Sinhala', 0xd80, 0xdff],
  ['Thai', 0xe00, 0xe7f],
  ['Lao', 0xe80, 0xeff],
  ['Myanmar', 0x1000, 0x109f],
  ['Georgian', 0x10a0, 0x10ff],
  ['Hangul', 0x1100, 0x11ff],
  ['Ethiopic', 0x1200, 0x137f],
  ['Khmer', 0x1780, 0x17ff],
  ['Kana', 0x3040, 0x30ff],
  ['Han', 0x3400, 0x9fff],
  ['Hangul', 0xac00, 0xd7af],
]

/** Kana are rarely less than half of Japanese, and hardly occur in Chinese. */
const JAPANESE_SHARE = 0.1

/** The script of more than half of the letters, null where there is none. */
function mainScript(captions: readonly string[]): Script | null {
  const counts = new Map<Script, number>()
  let letters = 0
  for (const caption of captions) {
    for (let i = 0; i < caption.length; i++) {
      const code = caption.charCodeAt(i)
      const range = RANGES.find(([, first, last]) => code >= first && code <= last)
      if (range === undefined) continue
      letters++
      counts.set(range[0], (counts.get(range[0]) ?? 0) + 1)
    }
  }
  const kana = counts.get('Kana') ?? 0
  const han = counts.get('Han') ?? 0
  if (kana + han > letters / 2) return kana > JAPANESE_SHARE * (kana + han) ? 'Kana' : 'Han'
  for (const [script, count] of counts) if (count > letters / 2) return script
  return null
}

/** Another language than English needs this many times the known words of English. */
const ADVANTAGE = 1.5
const LEAST_WORDS = 2
const LEAST_SHARE = 0.1

/** The language whose words occur most, null where the words of none are frequent. */
function mostUsed(captions: readonly string[], languages: readonly string[]): string | null {
  const counts = new Map<string, number>()
  let words = 0
  for (const caption of captions) {
    for (const word of caption.normalize('NFC').toLowerCase().match(WORD) ?? []) {
      words++
      counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const hitsOf = (language: string) => {
    let hits = 0
    for (const word of new Set([...functionWords(language), ...(OFTEN_SHOWN[language] ?? [])])) {
      hits += counts.get(word) ?? 0
    }
    return hits
  }
  const english = languages.includes('en') ? hitsOf('en') : 0
  let best: string | null = null
  let most = Math.max(LEAST_WORDS, LEAST_SHARE * words)
  for (const language of languages) {
    const hits = hitsOf(language)
    if (hits < most || (best !== null && hits === most)) continue
    if (language !== 'en' && hits < ADVANTAGE * english) continue
    best = language
    most = hits
  }
  return best
}

/** Single letters are names and counters as well; and `'s` is English, `l'` French. */
const WORD = /[\p{L}\p{M}]{2,}/gu

function setOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')))
}

const FUNCTION_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  en: setOf(
    'a an the of on in is are was were with and at to his her its their by for near next while from that this it as into over',
    'under out up down all some has have be who which there not or two three',
  ),
  de: setOf(
    'der die das den dem des ein eine einen einem einer eines und oder in im an am auf aus bei beim mit nach neben zu zum',
    'zur vor von vom hinter unter über durch für ohne um während ist sind hat haben wird werden sich er sie es seine',
    'seinem seiner ihre ihrem ihrer die welche als wie nicht einige zwei drei',
  ),
  fr: setOf(
    'le la les un une des du de au aux et ou dans sur sous avec en à par pour devant derrière près qui que est sont a',
    'ont se sa son ses leur leurs ce cette il elle ils elles deux trois l d s qu pendant vers entre',
  ),
  es: setOf(
    'el la los las un una unos unas de del al y o en con por para sobre bajo junto hacia desde mientras que se es son',
    'está están su sus lo este esta dos tres frente',
  ),
  it: setOf(
    'il lo la gli le un uno una di del della dei delle dello al alla nel nella sul sulla con per su tra in da dal e ed che',
    'si è sono sta stanno suo sua suoi due tre mentre',
  ),
  pt: setOf(
    'o os as um uma uns umas de do da dos das em no na nos nas com por para sobre ao à pelo pela e ou que se é são está',
    'estão seu sua seus suas dois duas três enquanto',
  ),
  nl: setOf(
    'de het een en of in op aan met van voor bij door naar naast onder over tegen tussen uit terwijl is zijn heeft wordt',
    'worden zich hij zij haar die dat er twee drie',
  ),
  sv: setOf(
    'en ett och i på med av för till från vid som är har sig sin sitt sina den det de under över två tre medan',
  ),
  da: setOf(
    'en et og i på med af for til fra ved som er har sig sin sit sine den det de under over to tre mens',
  ),
  nb: setOf(
    'en ei et og i på med av for til fra ved som er har seg sin sitt sine den det de under over to tre mens',
  ),
  fi: setOf(
    'ja on joka jotka jossa sekä kanssa päällä vieressä edessä takana alla että hän hänen kaksi kolme',
  ),
  pl: setOf(
    'i w we na z ze do przy pod nad przed obok za od się jest są który która które jego jej oraz dwa dwie dwóch trzy',
  ),
  cs: setOf(
    'a v ve na s se z ze do u pod nad před vedle za od je jsou si který která které jeho její dva dvě tři při',
  ),
  sk: setOf(
    'a v vo na s so z zo do pri pod nad pred vedľa za od je sú si sa ktorý ktorá ktoré jeho jej dva dve tri',
  ),
  hu: setOf('a az egy és vagy van hogy mellett előtt alatt között ami aki két három is nem'),
  ro: setOf(
    'un o de pe în cu la și sau din lângă sub spre printr care este sunt se lui ei doi două trei unei unui',
  ),
  tr: setOf('bir ve ile bu iki üç olan var için gibi de da üzerinde yanında önünde içinde arkasında'),
  vi: setOf('một và của với trên trong ở đang là có những các người cái chiếc hai ba bên cạnh'),
  id: setOf('yang di dan dengan sebuah seorang dari pada untuk ke ini itu atas sedang adalah dua tiga'),
  sw: setOf('na wa ya kwa katika za la ni mbili kuna wakiwa akiwa juu'),
  hr: setOf('i u na s sa je su se iz od do za pored ispred koji koja koje dok svoj svoju dva dvije tri'),
  sl: setOf('in v na s z je so se iz od do za pri pred ki svoj dva dve tri'),
  fil: setOf('ang ng sa mga na at may isang isa nasa ni si dalawang habang'),
  ca: setOf(
    'el la els les un una uns unes de del dels al i o en amb per sobre que es és són està seu seva dos dues mentre',
  ),
  et: setOf('ja on kes mis ning ees taga kõrval peal all koos kaks kolm oma seisab'),
  lv: setOf('un ir ar uz pie no kas ka par pa divi divas trīs blakus savu'),
  lt: setOf('ir su ant prie iš kad kuris kuri du dvi trys šalia savo yra'),
  mi: setOf('te ngā he ki kei me ka e o a i rua tētahi ētahi ana runga'),
  quz: setOf('huk iskay kachkan hina pata patapi chaymanta'),
  ru: setOf(
    'и в во на с со к у из от до по за под над перед рядом около который которая которые его её их это два две три',
  ),
  uk: setOf('і й та в у на з зі до від по за під над перед біля який яка які його її їх це два дві три що'),
  bg: setOf(
    'и в във на с със към от до по за под над пред до който която които неговата си се е са два две три',
  ),
  sr: setOf('и у на с са је су се из од до за поред испред који која које док свој два две три'),
  ar: setOf('في على من إلى مع و عن هو هي هذا هذه التي الذي بين أمام'),
  fa: setOf('در با از به و که یک را روی این است دو کنار'),
  ur: setOf('میں اور کے کی کا ایک پر سے ہے ہیں کو ساتھ دو'),
  hi: setOf('में और के की का एक पर से है हैं को साथ दो'),
  mr: setOf('आणि एक वर च्या आहे आहेत मध्ये दोन'),
  ne: setOf('मा र एक को छ छन् दुई संग'),
}

/** What many captions show, where the words above are too few to tell a language. */
const OFTEN_SHOWN: Readonly<Record<string, readonly string[]>> = {
  en: [
    'man',
    'woman',
    'people',
    'person',
    'front',
    'top',
    'standing',
    'sitting',
    'holding',
    'wearing',
    'hat',
    'street',
    'van',
    'door',
  ],
  de: ['mann', 'frau', 'hund', 'steht', 'sitzt', 'läuft'],
  fr: ['homme', 'femme', 'chien', 'chat', 'assis', 'debout'],
  es: ['hombre', 'mujer', 'perro', 'sentado', 'sentada'],
  it: ['uomo', 'donna', 'cane', 'seduto'],
  pt: ['homem', 'mulher', 'cachorro', 'cão', 'sentado'],
  nl: ['man', 'vrouw', 'hond', 'staat', 'zit'],
  sv: ['kvinna', 'hund', 'står', 'sitter'],
  da: ['mand', 'kvinde', 'hund', 'står', 'sidder'],
  nb: ['mann', 'kvinne', 'hund', 'står', 'sitter'],
  fi: ['mies', 'nainen', 'koira', 'seisoo', 'istuu'],
  pl: ['mężczyzna', 'kobieta', 'pies', 'siedzi', 'stoi'],
  cs: ['muž', 'žena', 'pes', 'sedí', 'stojí'],
  sk: ['muž', 'žena', 'pes', 'sedí', 'stojí'],
  hu: ['férfi', 'nő', 'kutya', 'ül', 'áll', 'áló', 'ember'],
  ro: ['bărbat', 'femeie', 'câine', 'stă'],
  tr: ['adam', 'kadın', 'köpek', 'duran', 'oturan', 'kişi'],
}
