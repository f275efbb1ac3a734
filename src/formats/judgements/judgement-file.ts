import { dirname, join } from 'node:path'
import { AccordError } from '../../errors.js'
import { chain } from '../captions/caption-files.js'
import { type Delimiter, parseHeader } from '../io/csv.js'
import { type BegunFile, beginFile, type InputFile } from '../io/files.js'
import { outlineJson } from '../io/json-outline.js'
import { MAT_MAGIC } from '../io/mat.js'
import { describeBeginning, wrongValue } from '../io/values.js'
import {
  type JudgementRecord,
  needlessCaptions,
  readJudgementRecords,
  recordsOfLines,
  recordsOfList,
} from './judgement-records.js'
import type { JudgementFile, JudgementReading, RatingNames } from './judgements.js'
import {
  FLICKR8K_CAPTIONS,
  FLICKR8K_LINE,
  PASCAL50S_VOTES,
  readClipScoreJudgements,
  readFlickr8kJudgements,
  readFoilPairs,
  readPascal50s,
} from './published-sets.js'
import {
  isRatingRecord,
  type RatingColumns,
  ratingColumnsOf,
  readRatingRecords,
  readRatingsTable,
} from './ratings-table.js'

/** The format of a file of judgements. */
type JudgementFormat =
  | { readonly kind: 'PASCAL50S' | 'FLICKR8K' | 'LIST' | 'LINES' | 'CLIPSCORE' | 'FOIL' }
  | { readonly kind: 'TABLE'; readonly delimiter: Delimiter; readonly columns: RatingColumns }

/** The formats of which some files have their captions in another file. */
const MAY_HAVE_CAPTIONS: readonly JudgementFormat['kind'][] = ['PASCAL50S', 'FLICKR8K', 'LIST', 'LINES']

/**
 * Reads human judgements in any format, which is recognized by its content: JSON records in lines or a list, those of THumB and
 * CapArena among them; CLIPScore's JSON; FOIL's JSON; tables of ratings, such as those of Composite, Polaris and Nebula; Flickr8k's
 * own files; PASCAL-50S's MAT-files.
 *
 * @throws AccordError the errors of the readers; INVALID_SHAPE for another format; NOT_APPLICABLE for a file of captions beside a
 *   format that has none, and where one is missing
 */
export function readJudgements(input: InputFile, reading: JudgementReading = {}): JudgementFile {
  const { text, file } = beginFile(input)
  let format: JudgementFormat
  try {
    format = formatOf(file.name, text.trimStart(), reading.columns)
    if (reading.captions !== undefined && !MAY_HAVE_CAPTIONS.includes(format.kind)) {
      throw needlessCaptions(reading.captions, file)
    }
  } catch (error) {
    file.source.close()
    throw error
  }
  return readAs(format, input, file, reading)
}

function readAs(
  format: JudgementFormat,
  input: InputFile,
  file: BegunFile,
  reading: JudgementReading,
): JudgementFile {
  const { captions } = reading
  switch (format.kind) {
    case 'PASCAL50S':
      return readPascal50s(file, captions ?? beside(input, PASCAL50S_VOTES, 'the votes of PASCAL-50S'))
    case 'FLICKR8K':
      return readFlickr8kJudgements(
        file,
        captions ?? beside(input, FLICKR8K_CAPTIONS, 'the captions of Flickr8k'),
        reading,
      )
    case 'LIST':
      return readRecords(recordsOfList(file, reading), file, reading)
    case 'LINES':
      return readRecords(recordsOfLines(file, reading), file, reading)
    case 'CLIPSCORE':
      return readClipScoreJudgements(file, reading)
    case 'FOIL':
      return readFoilPairs(file, reading)
    case 'TABLE':
      return readRatingsTable(file, format.delimiter, format.columns, reading)
  }
}

/** Records with one rating each, as Polaris's, or those of our own and of others. The first one decides. */
function readRecords(
  records: Generator<JudgementRecord>,
  file: BegunFile,
  { columns, captions }: JudgementReading,
): JudgementFile {
  const first = records.next()
  const all = first.done ? [] : chain([first.value], records)
  return columns || (!first.done && isRatingRecord(first.value.record))
    ? readRatingRecords(all, file, columns ?? {})
    : readJudgementRecords(all, file, captions)
}

/** The published second file in the folder of a file. @throws AccordError NOT_APPLICABLE for an upload, which has none */
function beside(file: InputFile, name: string, what: string): string {
  if (typeof file === 'string') return join(dirname(file), name)
  const expected = `${what}, ${name}, as a second file`
  throw wrongValue('NOT_APPLICABLE', 'captions are missing', { source: file }, expected, 'only judgements')
}

function formatOf(source: string, text: string, names: RatingNames | undefined): JudgementFormat {
  if (text.startsWith(MAT_MAGIC)) return { kind: 'PASCAL50S' }
  if (text.startsWith('[')) return { kind: 'LIST' }
  if (text.startsWith('{')) {
    if (names) return { kind: 'LINES' }
    const { members, isFollowed } = outlineJson(text)
    if (isFollowed) return { kind: 'LINES' }
    if (members.get('images')?.startsWith('[') || members.get('annotations') === '[{') return { kind: 'FOIL' }
    return { kind: members.values().next().value === '{' ? 'CLIPSCORE' : 'LINES' }
  }
  const [line] = text.split(/[\r\n]/, 1)
  if (FLICKR8K_LINE.test(line)) return { kind: 'FLICKR8K' }
  for (const delimiter of DELIMITERS) {
    const columns = line.includes(delimiter) && ratingColumnsOf(parseHeader(line, delimiter), names)
    if (columns) return { kind: 'TABLE', delimiter, columns }
  }
  throw new AccordError('INVALID_SHAPE', 'unknown format', {
    source,
    place: 'line 1',
    expected:
      'JSON Lines of ratings or preferences, a published file (see accord import judgements --help), or CSV or TSV with a header (image_id, caption, rating; --columns names others)',
    found: describeBeginning(text),
  })
}

const DELIMITERS: readonly Delimiter[] = ['\t', ',', ';']
