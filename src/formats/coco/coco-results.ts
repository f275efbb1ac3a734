import { findMarkup, findRepeatedPrompt, PROMPT_SAMPLE, stripMarkup } from '../../core/text/markup.js'
import { quote } from '../../errors.js'
import { counted, grouped } from '../../shared/numbers.js'
import { nameOf } from '../io/files.js'
import { Spool } from '../io/spool.js'
import { isNan, type Locate, wrongValue } from '../io/values.js'
import {
  type Coverage,
  type DescribedImages,
  type Matching,
  type MatchOptions,
  matchImages,
  matchNotes,
  missingImages,
  requireNewImage,
} from './known-images.js'

/** A system's caption before it is compared with the dataset. */
export interface SubmittedCaption {
  /** The id of the image, or another name of it that {@link matchImages} knows. */
  readonly imageId: string
  /** Whether the file calls it an id, as COCO's `image_id`. Default: false. */
  readonly isId?: boolean
  readonly text: string
  /** The place of the image id, for errors. Default: the source of the captions. */
  readonly at?: Locate
}

/** What to know of a system's captions. */
export interface CheckedResults {
  /** The external ids of the images without a caption, in the order of the dataset. */
  readonly missing: string[]
  readonly matching: Matching
  /** How images were matched; how many captions have markup of models, are empty, `nan`, an id of an image, or of other images. */
  readonly notes: readonly string[]
}

/** What captions of a system are checked by. */
export interface ResultsCheck extends Coverage, Pick<MatchOptions, 'match'> {
  /** Leave out captions of images that the dataset does not have. Default: false. */
  readonly isExtraAllowed?: boolean
  /** Remove markup of models from captions. Default: false. */
  readonly isMarkupStripped?: boolean
}

/**
 * Checks a system's captions against the images of a dataset. Images without human captions are not missing. The captions wait in a
 * temporary file until one rule for all of their images is chosen: memory does not grow with them.
 *
 * @param consume called with each caption and the external id of its image, in the order of submission
 * @throws AccordError as `matchImages`; UNKNOWN_IMAGE unless other images are allowed; DUPLICATE_ID; MISSING_IMAGES if an image has
 *   no caption, with `isMissingAllowed` only if no image has one
 */
export function checkResults(
  submitted: Iterable<SubmittedCaption>,
  images: DescribedImages,
  coverage: ResultsCheck,
  consume: (imageId: string, text: string) => void,
): CheckedResults {
  const waiting = new WaitingCaptions()
  try {
    waiting.addAll(submitted)
    return checkWaiting(waiting, images, coverage, consume)
  } finally {
    waiting.close()
  }
}

function checkWaiting(
  waiting: WaitingCaptions,
  images: DescribedImages,
  coverage: ResultsCheck,
  consume: (imageId: string, text: string) => void,
): CheckedResults {
  const seen = new Set<string>()
  const { find, expect, ...matching } = matchImages(waiting.names, images, {
    source: coverage.source,
    match: coverage.match,
    areIds: waiting.areIds,
  })
  const prompt = findRepeatedPrompt(waiting.firstTexts(PROMPT_SAMPLE))
  const markup = new Map<string, number>()
  let [captionCount, markedCount, extraCount, emptyCount, nanCount, idCount] = [0, 0, 0, 0, 0, 0]
  for (const { name, at: place, text: written } of waiting.captions()) {
    const imageId = find(name)
    if (imageId === undefined && coverage.isExtraAllowed) {
      extraCount++
      continue
    }
    const at = () => place ?? { source: nameOf(coverage.source) }
    if (imageId === undefined)
      throw wrongValue('UNKNOWN_IMAGE', 'unknown image', at(), expect(name), quote(name))
    requireNewImage(imageId, images.ids, seen, at)
    captionCount++
    const found = findMarkup(written, prompt)
    if (found.length > 0) markedCount++
    for (const kind of found) markup.set(kind, (markup.get(kind) ?? 0) + 1)
    const text = coverage.isMarkupStripped ? stripMarkup(written, prompt) : written
    const shown = text.trim()
    if (shown === '') emptyCount++
    else if (isNan(shown)) nanCount++
    else if (shown === name || shown === imageId) idCount++
    consume(imageId, text)
  }
  return {
    missing: missingImages(images.ids, seen, coverage, images.uncaptioned),
    matching,
    notes: [
      ...matchNotes(matching),
      ...markupNotes(markup, markedCount, captionCount, coverage.isMarkupStripped),
      ...countNote(emptyCount, 'caption is empty', 'captions are empty'),
      ...countNote(
        nanCount,
        'caption is “nan”, as pandas writes a missing value; it is scored as that word',
        'captions are “nan”, as pandas writes missing values; they are scored as that word',
      ),
      ...countNote(idCount, 'caption is the id of its image', 'captions are the ids of their images'),
      ...countNote(
        extraCount,
        'caption of an image that the dataset does not have was left out',
        'captions of images that the dataset does not have were left out',
      ),
    ],
  }
}

interface WaitingCaption {
  readonly name: string
  /** The place of the name; undefined where it has none. */
  readonly at: ReturnType<Locate> | undefined
  readonly text: string
}

/** Captions in a temporary file, in the order of submission. */
class WaitingCaptions {
  private readonly spool = new Spool()
  /** The files that have the names: that of the captions, or one of ids. */
  private readonly sources: ReturnType<Locate>['source'][] = []
  private count = 0
  private idCount = 0

  /** Whether the file calls all names ids. */
  get areIds(): boolean {
    return this.idCount === this.count
  }

  /** The names of images, again each time. */
  get names(): Iterable<string> {
    const { spool } = this
    return {
      *[Symbol.iterator]() {
        for (const record of spool.records(0)) yield nameIn(record)
      },
    }
  }

  addAll(submitted: Iterable<SubmittedCaption>): void {
    for (const { imageId, isId = false, text, at } of submitted) {
      this.count++
      if (isId) this.idCount++
      const { source, place = '' } = at?.() ?? {}
      if (at && this.sources.at(-1) !== source) this.sources.push(source)
      const [nameBytes, placeBytes] = [Buffer.byteLength(imageId), Buffer.byteLength(place)]
      const record = Buffer.allocUnsafe(NAME + nameBytes + placeBytes + Buffer.byteLength(text))
      record.writeUInt32LE(nameBytes, NAME_BYTES)
      record.writeUInt32LE(placeBytes, PLACE_BYTES)
      record.writeUInt32LE(at ? this.sources.length : 0, SOURCE)
      record.write(imageId, NAME)
      record.write(place, NAME + nameBytes)
      record.write(text, NAME + nameBytes + placeBytes)
      this.spool.append(0, record)
    }
  }

  /** The first captions, at most `count`. */
  firstTexts(count: number): string[] {
    const texts: string[] = []
    for (const { text } of this.captions()) {
      if (texts.push(text) >= count) break
    }
    return texts
  }

  *captions(): Generator<WaitingCaption> {
    for (const record of this.spool.records(0)) {
      const start = NAME + record.readUInt32LE(NAME_BYTES)
      const end = start + record.readUInt32LE(PLACE_BYTES)
      const source = record.readUInt32LE(SOURCE)
      const place = end > start ? record.toString('utf8', start, end) : undefined
      yield {
        name: nameIn(record),
        at: source > 0 ? { source: this.sources[source - 1], place } : undefined,
        text: record.toString('utf8', end),
      }
    }
  }

  close(): void {
    this.spool.close()
  }
}

// A record: the bytes of the name and of its place, the number of the file, then name, place and caption.
const NAME_BYTES = 0
const PLACE_BYTES = 4
const SOURCE = 8
const NAME = 12

const nameIn = (record: Buffer) => record.toString('utf8', NAME, NAME + record.readUInt32LE(NAME_BYTES))

const countNote = (count: number, one: string, several: string) =>
  count === 0 ? [] : [count === 1 ? `1 ${one}.` : `${grouped(count)} ${several}.`]

/** Maximum number of kinds of markup that a note names. */
const MAX_KINDS = 5

/** @param kinds how many captions have each */
function markupNotes(
  kinds: ReadonlyMap<string, number>,
  marked: number,
  captions: number,
  isStripped = false,
): string[] {
  if (marked === 0) return []
  const names = [...kinds].sort(([, one], [, other]) => other - one).map(([name]) => name)
  const shown = [...names.slice(0, MAX_KINDS), ...(names.length > MAX_KINDS ? ['…'] : [])].join(', ')
  const of = `${grouped(marked)} of ${counted(captions, 'caption')}`
  return [
    isStripped
      ? `Markup of models was removed from ${of} (${shown}).`
      : `${of} ${marked === 1 ? 'has' : 'have'} markup of models (${shown}); --strip-markup removes it.`,
  ]
}
