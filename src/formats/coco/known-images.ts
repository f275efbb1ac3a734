import { AccordError, quote } from '../../errors.js'
import { MATCHES, type Match } from '../../shared/choices.js'
import { counted, grouped } from '../../shared/numbers.js'
import { type InputFile, nameOf } from '../io/files.js'
import { type Locate, wrongValue } from '../io/values.js'

/** The images of a dataset, with what captions of a system are matched by. */
export interface DescribedImages {
  /** By external id. */
  readonly ids: KnownImages
  /** The names of the files of those images that have one, by external id. */
  readonly fileNames: ReadonlyMap<string, string>
  /** External ids of the images without human captions, of which a system may have a caption or not. */
  readonly uncaptioned: ReadonlySet<string>
  /** The numbers that Karpathy's JSON gives images without an id, `imgid`, by external id: others count images too. */
  readonly imgids?: ReadonlyMap<string, string>
}

/** Images whose ids alone are known to whom a file is from. */
export function withoutFileNames({ ids, uncaptioned }: DescribedImages): DescribedImages {
  return { ids, uncaptioned, fileNames: new Map() }
}

/** What is compared, for people. */
const COMPARED: Readonly<Record<Match, string>> = {
  id: 'id',
  name: 'file name',
  stem: 'file name without folder and extension',
  number: 'number at the end of the name',
}

/** How the names of a file were matched with images. */
export interface Matching {
  readonly match: Match
  /** Number of names that are of an image. */
  readonly imageCount: number
  /** The first of them with their images. */
  readonly pairs: readonly MatchedPair[]
}

export interface MatchedPair {
  /** What the file calls the image. */
  readonly name: string
  /** The external id of the image. */
  readonly imageId: string
  /** Null if it is not known. */
  readonly fileName: string | null
}

/** Number of pairs that are shown. */
const SHOWN_PAIRS = 3

/** What is known of the names of a file before they are matched. */
export interface MatchOptions {
  /** The file, for errors. */
  readonly source: InputFile
  /** The rule. Default: the first one that finds the most names. */
  readonly match?: Match
  /** Whether the file calls the names ids: where all of them are, no other rule is asked. Default: false. */
  readonly areIds?: boolean
}

/** The images of the names of a file. */
export interface MatchedImages extends Matching {
  /** The external id of the image of a name of the file. */
  find(name: string): string | undefined
  /** What is expected of a name that is of no image, for errors. */
  expect(name: string): string
}

/**
 * Chooses one rule for all names of a file: the first one that finds the most. A stem or a number finds images that it tells apart,
 * and whose folder, if they have one, is not another one than the name's. Numbers need names that are alike but for the number:
 * all those of the dataset, and those of the file. A rule that is given leaves folders out.
 *
 * @param names are read several times
 * @throws AccordError INVALID_VALUE if no rule is given, and another one finds as many names with other images
 */
export function matchImages(
  names: Iterable<string>,
  images: DescribedImages,
  { source, match, areIds = false }: MatchOptions,
): MatchedImages {
  const rules: FittedRule[] = []
  for (const rule of rulesOf(images, match !== undefined)) {
    if (match !== undefined && rule.match !== match) continue
    rules.push(toFitted(rule, names))
    const isCertain = areIds || (images.fileNames.size === 0 && !images.imgids?.size)
    if (rule.match === 'id' && rules[0].isComplete && isCertain) break
  }
  const best = rules.reduce((one, other) => (other.found > one.found ? other : one))
  if (match === undefined && best.found > 0 && !(best.match === 'id' && best.isComplete && areIds)) {
    const others = [...rules, ...imgidRules(images).map((rule) => toFitted(rule, names))]
    const rivals = others.filter((other) => other.found >= best.found && isRival(best, other))
    for (const rival of rivals) requireSame(names, images, best, rival, source)
  }
  return {
    match: best.match,
    imageCount: best.found,
    pairs: firstPairs(names, images, best),
    find: best.find,
    expect: (name) => expectOf(name, images, best, match === undefined),
  }
}

/** How images were matched, for people. */
export function matchNotes({ match, imageCount, pairs }: Matching): string[] {
  const shown = pairs.map(({ name, imageId, fileName }) => {
    const image = describe(imageId, fileName)
    return match === 'id' ? image : `${quote(name)} is ${image}`
  })
  return imageCount === 0
    ? []
    : [`${counted(imageCount, 'image')} matched by ${COMPARED[match]}: ${shown.join(', ')}.`]
}

function describe(imageId: string, fileName: string | null | undefined): string {
  return fileName == null || fileName === imageId ? imageId : `${imageId} (${fileName})`
}

/** A way of finding an image by a name. */
interface Rule {
  readonly match: Match
  /** What is compared, for people. Default: by the match. */
  readonly compared?: string
  find(name: string): string | undefined
  /** Names of one file are of one group. Default: all are. */
  groupOf?(name: string): string | undefined
}

/** A rule for the names of a file. */
interface FittedRule extends Rule {
  /** Number of names that it finds an image of. */
  readonly found: number
  /** Whether these are all. */
  readonly isComplete: boolean
}

/** Restricts a rule to the group of names of which it finds the most. */
function toFitted(rule: Rule, names: Iterable<string>): FittedRule {
  const counts = new Map<string | undefined, number>()
  let count = 0
  for (const name of names) {
    count++
    if (rule.find(name) === undefined) continue
    const group = rule.groupOf?.(name)
    counts.set(group, (counts.get(group) ?? 0) + 1)
  }
  const [[group, found] = [undefined, 0]] = [...counts].sort((one, other) => other[1] - one[1])
  const find = (name: string) => (rule.groupOf?.(name) === group ? rule.find(name) : undefined)
  return { ...rule, find, found, isComplete: found === count }
}

/**
 * The rules in the order in which they are tried. One of file names stands before that of ids, which can be such names.
 *
 * @param areFoldersLeftOut whether stems and numbers find images in other folders too
 */
function* rulesOf({ ids, fileNames }: DescribedImages, areFoldersLeftOut: boolean): Generator<Rule> {
  const byId: Naming = { names: Array.from(ids.keys(), (id) => [id, id] as const), nameOf: (id) => id }
  const byFile: Naming = { names: fileNames, nameOf: (id) => fileNames.get(id) as string }
  const inFolder = areFoldersLeftOut ? (find: Rule['find']) => find : findInFolder
  yield { match: 'id', find: (name) => (ids.has(name) ? name : undefined) }
  if (fileNames.size > 0) {
    yield { match: 'name', find: lookUp(fileNames, (name) => name) }
    yield { match: 'stem', find: findStem(byFile, inFolder) }
  }
  yield { match: 'stem', find: findStem(byId, inFolder) }
  const ofIds = findNumber(byId, inFolder)
  const ofFiles = fileNames.size === ids.size ? findNumber(byFile, inFolder) : null
  // Ids that are numbers say nothing of names, whose numbers are those of the names of the dataset's files.
  const tableOf = (name: string) =>
    BARE_NUMBER.test(name) && ofIds?.before === '' ? ofIds : (ofFiles ?? ofIds)
  yield {
    match: 'number',
    find: (name) => tableOf(name)?.find(name),
    groupOf: (name) => (BARE_NUMBER.test(name) ? '' : `${numberOf(name)?.before} `),
  }
}

/** Numbers that count the images of the references' file: no names, but numbers of a file can be these. */
function imgidRules({ imgids }: DescribedImages): Rule[] {
  return imgids?.size ? [{ match: 'number', compared: 'imgid', find: lookUp(imgids, (imgid) => imgid) }] : []
}

const BARE_NUMBER = /^\d+(?:\.0+)?$/

/** Whether two rules that differ leave open which images are meant: nothing is as certain as a file name, and ids than numbers. */
function isRival(best: Rule, other: Rule): boolean {
  if (best.match === 'name') return false
  if (other.compared !== undefined) return true
  return other.match !== best.match && !(best.match === 'id' && other.match === 'number')
}

function requireSame(
  names: Iterable<string>,
  { fileNames }: DescribedImages,
  best: Rule,
  rival: Rule,
  source: InputFile,
): void {
  for (const name of names) {
    const [one, other] = [best.find(name), rival.find(name)]
    if (other === undefined || one === other) continue
    const shown = ([rule, imageId]: readonly [Rule, string | undefined]) =>
      `${imageId === undefined ? 'no image' : describe(imageId, fileNames.get(imageId))} by ${rule.compared ?? COMPARED[rule.match]}`
    throw new AccordError('INVALID_VALUE', 'two rules match other images', {
      source: nameOf(source),
      expected: `the rule: --match ${MATCHES.slice(0, -1).join(', ')} or ${MATCHES.at(-1)}`,
      found: `${quote(name)}, which is ${shown([best, one])}, and ${shown([rival, other])}`,
    })
  }
}

function firstPairs(names: Iterable<string>, images: DescribedImages, { find }: Rule): MatchedPair[] {
  const pairs = new Map<string, MatchedPair>()
  for (const name of names) {
    if (pairs.size === SHOWN_PAIRS) break
    const imageId = find(name)
    if (imageId !== undefined)
      pairs.set(name, { name, imageId, fileName: images.fileNames.get(imageId) ?? null })
  }
  return [...pairs.values()]
}

function expectOf(
  name: string,
  images: DescribedImages,
  { match, found }: FittedRule,
  isChosen: boolean,
): string {
  const isElsewhere =
    isChosen &&
    folderOf(name) !== '' &&
    [...rulesOf(images, true)].some((rule) => rule.match === 'stem' && rule.find(name) !== undefined)
  const remark = isElsewhere ? ' (without its folder it is one: --match stem)' : ''
  return match === 'id' || found === 0
    ? `the id of an image of the dataset${remark}`
    : `the ${COMPARED[match]} of an image, as ${grouped(found)} others of the file${remark}`
}

/** Finds images by a key that is made of their names, but not by a key of several images. */
function lookUp(
  names: Iterable<readonly [imageId: string, name: string]>,
  toKey: (name: string) => string | undefined,
): (name: string) => string | undefined {
  const index = lazily(() => {
    const images = new Map<string, string | null>()
    for (const [imageId, name] of names) {
      const key = toKey(name)
      if (key === undefined) continue
      const other = images.get(key)
      images.set(key, other === undefined || other === imageId ? imageId : null)
    }
    return images
  })
  return (name) => {
    const key = toKey(name)
    return key === undefined ? undefined : (index().get(key) ?? undefined)
  }
}

/** Names of images. */
interface Naming {
  readonly names: Iterable<readonly [imageId: string, name: string]>
  nameOf(imageId: string): string
}

/** Restricts a rule to images in the folder of the name, where both have one. */
type InFolder = (find: Rule['find'], nameOf: Naming['nameOf']) => Rule['find']

const findInFolder: InFolder = (find, nameOf) => (name) => {
  const imageId = find(name)
  return imageId !== undefined && isSameFolder(folderOf(name), folderOf(nameOf(imageId)))
    ? imageId
    : undefined
}

/** Finds images by path and name without extension, or else by the name alone. */
function findStem({ names, nameOf }: Naming, inFolder: InFolder): Rule['find'] {
  const byPath = lookUp(names, withoutExtension)
  const byStem = inFolder(lookUp(names, stemOf), nameOf)
  return (name) => byPath(name) ?? byStem(name)
}

/** Finds images by the numbers at the ends of their names; null if the names differ before the numbers. */
function findNumber({ names, nameOf }: Naming, inFolder: InFolder) {
  let before: string | undefined
  for (const [, name] of names) {
    const parts = numberOf(name)
    if (parts === undefined || (before ?? parts.before) !== parts.before) return null
    before = parts.before
  }
  const find = lookUp(names, (name) => numberOf(name)?.number)
  return before === undefined ? null : { before, find: inFolder(find, nameOf) }
}

/** `img_101` for `val2014/img_101.jpg`. */
const stemOf = (name: string) => withoutExtension(name).replace(/^.*\//, '')

const withoutExtension = (name: string) => withSlashes(name).replace(/(.)\.[a-z][a-z\d]{1,4}$/i, '$1')

const withSlashes = (name: string) => name.replaceAll('\\', '/')

/** `val2014` for `val2014/img_101.jpg`. */
const folderOf = (name: string) => /^(.*)\//.exec(withSlashes(name))?.[1] ?? ''

/** Whether two folders can be the same one, or one of them is not known: `/data/val2014` and `val2014`. */
function isSameFolder(one: string, other: string): boolean {
  if (one === '' || other === '' || one === other) return true
  return one.endsWith(`/${other}`) || other.endsWith(`/${one}`)
}

/** The number at the end of a name, and what precedes it; parts of COCO have different names for the images of one dataset. */
function numberOf(name: string): { readonly before: string; readonly number: string } | undefined {
  const parts = /^(.*?)0*(\d+)$/.exec(stemOf(name).replace(/^(\d+)\.0+$/, '$1'))
  return parts
    ? { before: parts[1].replace(/^COCO_(?:train|val|test)\d+_$/, 'COCO_'), number: parts[2] }
    : undefined
}

function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

/** The images of a dataset by external id: a Set of ids, or a Map from them. */
export interface KnownImages {
  readonly size: number
  has(externalId: string): boolean
  keys(): Iterable<string>
}

/** Whether a submission may leave out images of the dataset. */
export interface Coverage {
  /** The file or the argument, for errors. */
  readonly source: InputFile
  readonly isMissingAllowed: boolean
}

/** Adds an image to those already submitted. @throws AccordError UNKNOWN_IMAGE; DUPLICATE_ID if it is one of them */
export function requireNewImage(imageId: string, images: KnownImages, seen: Set<string>, at: Locate): void {
  if (!images.has(imageId)) {
    const expected = 'the id of an image of the dataset'
    throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at(), expected, quote(imageId))
  }
  if (seen.has(imageId)) {
    throw wrongValue('DUPLICATE_ID', 'duplicate image', at(), 'each image once', `${quote(imageId)} again`)
  }
  seen.add(imageId)
}

/**
 * The images that were not submitted, in the order of the dataset, but for optional ones.
 *
 * @throws AccordError MISSING_IMAGES if there are any; with `isMissingAllowed` only if all of them are missing
 */
export function missingImages(
  images: KnownImages,
  seen: ReadonlySet<string>,
  { source, isMissingAllowed }: Coverage,
  optional: ReadonlySet<string> = new Set(),
): string[] {
  const missing = [...images.keys()].filter((id) => !seen.has(id) && !optional.has(id))
  if (seen.size === 0 || (missing.length > 0 && !isMissingAllowed)) {
    const captioned = optional.size === 0 ? '' : ' with captions'
    const expected = `all ${images.size - optional.size} images of the dataset${captioned}`
    const found = `${images.size - optional.size - missing.length}, without ${listIds(missing)}`
    throw wrongValue('MISSING_IMAGES', 'images are missing', { source }, expected, found)
  }
  return missing
}

function listIds(ids: readonly string[]): string {
  const shown = ids.slice(0, 3).join(', ')
  return ids.length <= 3 ? shown : `${shown} and ${ids.length - 3} more`
}
