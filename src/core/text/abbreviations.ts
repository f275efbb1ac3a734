/**
 * The abbreviations of Stanford CoreNLP 3.4.1's PTBTokenizer, without the final period. Matching is
 * case-insensitive, except for letters in brackets: `[M]iss.` is a title or a state, but `miss.` is a common
 * word at the end of a sentence.
 */

/**
 * Abbreviations that can be followed by lower-case words. Before a capital letter or at the end of a line they
 * also end the sentence: the abbreviation includes its period, and a separate period token is added.
 */
// biome-ignore format: a table
export const OFTEN_SENTENCE_FINAL: readonly string[] = [
  // months and days
  'jan', 'feb', 'mar', 'apr', 'jun', 'jul', 'aug', 'sep', 'sept', 'oct', 'nov', 'dec',
  'mon', 'tue', 'tues', 'wed', 'thu', 'thurs', 'fri',
  // states
  'ala', 'ariz', '[A]z', '[A]rk', 'calif', 'colo', 'conn', 'ct', 'dak', '[D]el', 'fla', 'ga', '[I]ll',
  'ind', 'kan', 'kans', 'ky', '[L]a', '[M]ass', 'md', 'mich', 'minn', '[M]iss', 'mo', 'mont', 'neb',
  'nev', 'okla', '[O]re', '[P]a', 'penn', 'tenn', '[T]ex', 'va', 'vt', '[W]ash', 'wis', 'wisc', 'wyo',
  // companies
  'inc', 'co', 'cos', 'corp', 'ltd', 'plc', 'rt', 'bancorp', 'bhd',
  'pt[y]', 'pt[e]', 'pt[y]s', 'pt[e]s', 'ppt[y]', 'ppt[e]', 'ppt[y]s', 'ppt[e]s',
  'assn', 'univ', 'intl', 'sys',
  // quantities, degrees and streets, the rest
  'tel', 'est', 'ext', 'sq', 'jr', 'sr', 'bros', 'ed\\.d', 'ph\\.d', 'blvd', 'rd', 'esq',
  'etc', 'al', 'seq', 'bldg',
]

/** Abbreviations that are followed by a name or a number and do not end a sentence. */
// biome-ignore format: a table
export const NEVER_SENTENCE_FINAL: readonly string[] = [
  // titles, of persons and of places
  'mr', 'mrs', 'ms', '[M]iss', 'dr', 'drs', 'prof', 'profs', 'sen', 'sens', 'rep', 'reps', 'atty',
  'attys', 'lt', 'col', 'gen', 'messrs', 'gov', 'govs', 'adm', 'rev', 'maj', 'sgt', 'cpl', 'pvt', 'capt',
  'st', 'ste', 'ave', 'pres', 'lieut', 'hon', 'brig', 'cmdr', 'comdr', 'pfc', 'spc', 'supt', 'supts',
  'det', 'mt', 'ft', 'adj', 'adv', 'asst', 'assoc', 'ens', 'insp', 'mlle', 'mme', 'msgr', 'sfc',
  // names, companies, the rest
  'alex', 'wm', 'jos', 'cie', 'treas', 'invt', 'elec', 'natl', 'm[f]g', 'm[t]g', 'dept',
  'vs', 'cf', 'ph',
]

/** Abbreviations only if followed by a number. */
// biome-ignore format: a table
export const BEFORE_NUMBER: readonly string[] = [
  'ca', 'fig', 'figs', 'prop', 'no', 'nos', 'art', 'bldg', 'pp', 'op',
]

/** Compounds of country names with a period inside. They are treated like `u.s`. */
// biome-ignore format: a table
export const COMPOUND_ACRONYMS: readonly string[] = [
  'canada-u\\.s', 'sino-u\\.s', 'korean-u\\.s', 'eu-u\\.s', 'japan-u\\.s', 'non-u\\.s',
  'u\\.s\\.-u\\.k', 'u\\.s\\.-u\\.s\\.s\\.r',
]

/**
 * Capitalized words that start a new sentence after an acronym: `the U.S. They …` contains a sentence end, `the
 * U.S. Army` does not.
 */
// biome-ignore format: a table
export const SENTENCE_STARTERS: readonly string[] = [
  '[A]', '[A]bout', '[A]ccording', '[A]dditionally', '[A]fter', '[A]n', '[A]s', '[A]t', '[B]ut',
  '[E]arlier', '[H]e', '[H]er', '[H]ere', '[H]owever', '[I]f', '[I]n', '[I]t', '[L]ast', '[M]any',
  '[M]ore', '[M]r\\.', '[M]s\\.', '[N]ow', '[O]nce', '[O]ne', '[O]ther', '[O]ur', '[S]he', '[S]ince',
  '[S]o', '[S]ome', '[S]uch', '[T]hat', '[T]he', '[T]heir', '[T]hen', '[T]here', '[T]hese', '[T]hey',
  '[T]his', '[W]e', '[W]hat', '[W]hen', '[W]hile', '[Y]et', '[Y]ou',
]

/** File name extensions: `dog.jpg` is one token, even before a period that ends the sentence. */
// biome-ignore format: a table
export const FILE_EXTENSIONS: readonly string[] = [
  'bat', 'bmp', 'c', 'cgi', 'class', 'cpp', 'dll', 'doc', 'docx', 'exe', 'gif', 'gz', 'h', 'htm', 'html',
  'jar', 'java', 'jpeg', 'jpg', 'mov', 'mp3', 'pdf', 'php', 'pl', 'png', 'ppt', 'ps', 'py', 'sql', 'tar',
  'txt', 'wav', 'x', 'xml', 'zip',
]
