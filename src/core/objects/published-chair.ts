/**
 * CHAIR-compatible: how the published program of CHAIR (Rohrbach et al. 2018) finds objects in captions, as they are written, with
 * the singular of nouns by the library Pattern (BSD licence, University of Antwerp). Its words are given: they have no licence. Two
 * of its quirks change figures: its singular of "bus" is "bu", so that only "buses" count; and compounds are looked up after the
 * singular, so that "tennis racket", then "tenni racket", is a racket.
 */
import type { ObjectWords } from './object-words.js'

/** Names of animals before which "baby" and "adult" stand for no person, and vehicles before which "passenger" does not. */
const ANIMALS = [
  'bird',
  'cat',
  'dog',
  'horse',
  'sheep',
  'cow',
  'elephant',
  'bear',
  'zebra',
  'giraffe',
  'animal',
  'cub',
]
const VEHICLES = ['jet', 'train']

/** Compounds that stand for something else than they say, beside those of the given words. */
const COMPOUNDS: readonly (readonly [compound: string, word: string])[] = [
  ['home plate', 'home plate'],
  ['train track', 'train track'],
  ['bow tie', 'tie'],
  ['toilet seat', 'toilet'],
  ['wine glas', 'wine glass'],
  ...ANIMALS.flatMap((animal) => ['baby', 'adult'].map((word) => [`${word} ${animal}`, animal] as const)),
  ...VEHICLES.map((vehicle) => [`passenger ${vehicle}`, vehicle] as const),
]

/** A mention: the word, and the category that it stands for. */
export interface WordMention {
  readonly word: string
  readonly object: string
}

/** Finds mentions in captions. @param words as the program has them */
export function createPublishedFinder(words: ObjectWords): (caption: string) => WordMention[] {
  const objectOf = new Map([...words].flatMap(([object, all]) => all.map((word) => [word, object] as const)))
  const compounds = new Map<string, string>(
    [...objectOf.keys()]
      .map((word) => word.trim())
      .flatMap((word) => (word.includes(' ') && word !== 'dining table' ? [[word, word]] : [])),
  )
  for (const [compound, word] of COMPOUNDS) compounds.set(compound, word)
  const known = new Map<string, string>()
  const singularFor = (token: string): string => {
    const singular = known.get(token) ?? singularOf(token)
    known.set(token, singular)
    return singular
  }
  return (caption) => {
    const singular = tokensOf(caption).map(singularFor)
    const joined: string[] = []
    for (let i = 0; i < singular.length; i++) {
      const compound = compounds.get(`${singular[i]} ${singular[i + 1]}`)
      joined.push(compound ?? singular[i])
      if (compound !== undefined) i++
    }
    const isOfToilet = joined.includes('toilet') && joined.includes('seat')
    return joined.flatMap((word) => {
      const object = isOfToilet && word === 'seat' ? undefined : objectOf.get(word)
      return object === undefined ? [] : [{ word, object }]
    })
  }
}

/** What the program's tokenizer, NLTK's of the Penn Treebank, separates, in this order. */
const SEPARATED: readonly (readonly [part: RegExp, replacement: string])[] = [
  [/([:,])(?!\d)/g, ' $1 '],
  [/\.\.\./g, ' ... '],
  [/[;@#$%&?!]/g, ' $& '],
  // A full stop ends a sentence; before a quotation mark within the caption it stays at its word.
  [/([^.])\.(?=\s|["'”’)\]}>]*\s*$)/g, '$1 . '],
  [/[\][(){}<>]/g, ' $& '],
  [/--/g, ' -- '],
  [/["“”]|''|``/g, ' " '],
  [/([^' ])('s|'m|'d|'ll|'re|'ve|n't|') /g, '$1 $2 '],
]

/** The tokens of a caption as the program has them, in lower case, punctuation among them. */
function tokensOf(caption: string): string[] {
  let text = ` ${caption.toLowerCase()} `
  for (const [part, replacement] of SEPARATED) text = text.replace(part, replacement)
  return text.split(/\s+/).filter((token) => token !== '')
}

/** Words whose plural is the singular to Pattern; also the ends of these words. */
const UNCHANGED = (
  'bison debris headquarters pincers trout bream diabetes herpes pliers tuna breeches djinn high-jinks proceedings whiting ' +
  'britches eland homework rabies wildebeest carp elk innings salmon chassis flounder jackanapes scissors christmas gallows ' +
  'mackerel series clippers georgia measles shears cod graffiti mews species contretemps mumps swine corps news swiss ' +
  'advice equipment happiness luggage software bread fruit information mathematics progress understanding butter furniture ' +
  'ketchup mayonnaise research water cheese garbage knowledge meat rice electricity gravel love mustard sand'
).split(' ')

/** Words that end in -ie, whose plurals Pattern leaves as they are. */
const IN_IE = (
  'alergie cutie hoagie newbie softie veggie auntie doggie hottie nightie sortie weenie beanie eyrie indie oldie stoolie ' +
  'yuppie birdie freebie junkie sweetie zombie bogie goonie laddie pixie techie bombie groupie laramie quickie collie hankie ' +
  'lingerie reverie toughie cookie hippie meanie rookie valkyrie'
).split(' ')

const IRREGULAR: Readonly<Record<string, string>> = {
  atlases: 'atlas',
  axes: 'axe',
  brethren: 'brother',
  children: 'child',
  feet: 'foot',
  geese: 'goose',
  leaves: 'leaf',
  loaves: 'loaf',
  men: 'man',
  moves: 'move',
  opera: 'opus',
  our: 'my',
  oxen: 'ox',
  people: 'person',
  sexes: 'sex',
  teeth: 'tooth',
}

const RULES: readonly (readonly [ending: RegExp, replacement: string])[] = [
  [/(.)ae$/, '$1a'],
  [/(.)itis$/, '$1itis'],
  [/(.)eaux$/, '$1eau'],
  [/(quiz)zes$/, '$1'],
  [/(matr)ices$/, '$1ix'],
  [/(ap|vert|ind)ices$/, '$1ex'],
  [/^(ox)en/, '$1'],
  [/(alias|status)es$/, '$1'],
  [/([octop|vir])i$/, '$1us'],
  [/(cris|ax|test)es$/, '$1is'],
  [/(shoe)s$/, '$1'],
  [/(o)es$/, '$1'],
  [/(bus)es$/, '$1'],
  [/([m|l])ice$/, '$1ouse'],
  [/(x|ch|ss|sh)es$/, '$1'],
  [/(m)ovies$/, '$1ovie'],
  [/(.)ombies$/, '$1ombie'],
  [/(s)eries$/, '$1eries'],
  [/([^aeiouy]|qu)ies$/, '$1y'],
  [/([aeo]l)ves$/, '$1f'],
  [/([^d]ea)ves$/, '$1f'],
  [/arves$/, 'arf'],
  [/erves$/, 'erve'],
  [/([nlw]i)ves$/, '$1fe'],
  [/([lr])ves$/, '$1f'],
  [/([aeo])ves$/, '$1ve'],
  [/(sive)s$/, '$1'],
  [/(tive)s$/, '$1'],
  [/(hive)s$/, '$1'],
  [/([^f])ves$/, '$1fe'],
  [/(^analy)ses$/, '$1sis'],
  [/(.)opses$/, '$1opsis'],
  [/(.)yses$/, '$1ysis'],
  [/(h|d|r|o|n|b|cl|p)oses$/, '$1ose'],
  [/(.)oses$/, '$1osis'],
  [/([ti])a$/, '$1um'],
  [/(n)ews$/, '$1ews'],
  [/s$/, ''],
]

/** The singular of a word in lower case, whatever it is, as Pattern's `singularize` makes it. */
function singularOf(word: string): string {
  if (word.endsWith("'")) return `${singularOf(word.slice(0, -1))}'s`
  if (UNCHANGED.some((unchanged) => unchanged.endsWith(word))) return word
  if (IN_IE.some((singular) => word.endsWith(`${singular}s`))) return word
  for (const [plural, singular] of Object.entries(IRREGULAR))
    if (word.endsWith(plural)) return word.slice(0, -plural.length) + singular
  const rule = RULES.find(([ending]) => ending.test(word))
  return rule ? word.replace(rule[0], rule[1]) : word
}
