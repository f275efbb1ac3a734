import { AccordError, quote } from '../../errors.js'
import type { Locate } from '../io/values.js'
import { type CaptionColumns, type ColumnNames, matching, namesOf, valueAt } from './columns.js'

/** A key or a column, with its first value. */
type Field = readonly [name: string, value: unknown]

/** Fields, and characters of a value, that an error names. */
const MAX_FIELDS = 10
const MAX_CHARACTERS = 30

/**
 * The error for a file of which no image or no caption is recognized: what the file looks like, what it has, with an example of each,
 * and the columns that would read it.
 *
 * @param kind what the file looks like
 * @param fields its keys or columns, with their first values
 */
export function unknownColumns(
  at: ReturnType<Locate>,
  kind: string,
  fields: readonly Field[],
  { columns, areOfPeople = false }: { readonly columns?: CaptionColumns; readonly areOfPeople?: boolean },
): AccordError {
  const names = namesOf(columns, areOfPeople)
  const record = Object.fromEntries(fields)
  const find = (wanted: readonly string[]) =>
    wanted.find(
      (name) => valueAt(record, name) !== undefined || matching(Object.keys(record), name).length > 0,
    )
  const [image, caption] = [find(names.image), find(names.captions)]
  const suggested = suggest(flatten(fields), { image, caption }, areOfPeople)
  const found = fields.slice(0, MAX_FIELDS).map(([name, value]) => `${name} (${example(value)})`)
  const more = fields.length > MAX_FIELDS ? `, and ${fields.length - MAX_FIELDS} more` : ''
  return new AccordError('INVALID_SHAPE', `no ${lacking(image, caption)} is recognized`, {
    ...at,
    expected: `${suggested === undefined ? '' : `--columns ${suggested}, or `}${expectedOf(names, image, caption)}`,
    found: `${kind} with ${found.join(', ')}${more}`,
    columns: suggested,
  })
}

const lacking = (image: string | undefined, caption: string | undefined) =>
  image === undefined && caption === undefined
    ? 'image and no caption'
    : image === undefined
      ? 'image'
      : 'caption'

function expectedOf(names: ColumnNames, image: string | undefined, caption: string | undefined): string {
  const list = (known: readonly string[]) => `${known.slice(0, 3).join(', ')}${known.length > 3 ? ' …' : ''}`
  if (image === undefined && caption === undefined)
    return `an image (${list(names.image)}) and a caption (${list(names.captions)})`
  return image === undefined
    ? `an image (${list(names.image)}) beside ${caption}`
    : `a caption (${list(names.captions)}) beside ${image}`
}

function example(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list: ${example(value[0])}`
  if (typeof value === 'object' && value !== null)
    return `an object: ${Object.keys(value).slice(0, 4).join(', ')}`
  const text = String(value)
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
  return typeof value === 'string' ? quote(shown) : shown
}

/** Fields of objects are those of paths: `de.caption`. */
function flatten(fields: readonly Field[], prefix = ''): Field[] {
  return fields.flatMap(([name, value]): Field[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value) && prefix === ''
      ? flatten(Object.entries(value), `${name}.`)
      : [[`${prefix}${name}`, value]],
  )
}

/** Names of what is an image, and of what is a caption, the surest first. */
const IMAGE_LIKE = [
  /(?:^|[^a-z])(?:image|img|pic|picture|photo|video|audio|sound|clip)s?(?:$|[^a-z])/i,
  /file|path|url/i,
  /id$|key$|^id|index|uid|name|number/i,
]
const CAPTION_LIKE = [
  /caption|sentence|comment/i,
  /text|desc|title|report|summary/i,
  /answer|response|output|pred|reply|content|value/i,
]
const REFERENCE_LIKE = [/ref|ground|gold|gts?$/i, ...CAPTION_LIKE]

/** The columns that would read the file, as the option has them; undefined where none is likely. */
function suggest(
  fields: readonly Field[],
  known: { readonly image: string | undefined; readonly caption: string | undefined },
  areOfPeople: boolean,
): string | undefined {
  const isId = ([, value]: Field) =>
    typeof value === 'number' || (typeof value === 'string' && !/\s/.test(value.trim()))
  // A system has one caption of an image.
  const isOne = (value: unknown) =>
    Array.isArray(value) ? value.length === 1 : !/^\[\s*['"]/.test(String(value))
  const isText = ([, value]: Field) => {
    const first: unknown = Array.isArray(value) ? value[0] : value
    return (areOfPeople || isOne(value)) && typeof first === 'string' && /\S\s+\S|\p{Lo}{4}/u.test(first)
  }
  const pick = (patterns: readonly RegExp[], fits: (field: Field) => boolean) => {
    const fitting = fields.filter(fits)
    const pattern = patterns.find((one) => fitting.some(([name]) => one.test(name)))
    return fitting.find(([name]) => pattern?.test(name))?.[0]
  }
  const longest = () =>
    fields.filter(isText).sort(([, one], [, other]) => String(other).length - String(one).length)[0]?.[0]
  const image = known.image ?? pick(IMAGE_LIKE, isId) ?? fields.find(isId)?.[0]
  const caption = known.caption ?? pick(areOfPeople ? REFERENCE_LIKE : CAPTION_LIKE, isText) ?? longest()
  return image === undefined || caption === undefined ? undefined : `image=${image},caption=${caption}`
}
