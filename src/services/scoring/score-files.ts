import { digestDataset, digestResults } from '../../compute/content-hash.js'
import { createThreads, type Threads } from '../../compute/pool.js'
import type { ResourceOptions } from '../../compute/resources.js'
import { createCaptionTokenizer } from '../../compute/tokenizing.js'
import { captionForm } from '../../core/metrics/metric.js'
import { inOrder, type MetricChoice, type MetricRegistry } from '../../core/metrics/registry.js'
import { firstTerm } from '../../core/selection/importance.js'
import {
  checkLanguage,
  chooseTokenization,
  type LanguageOptions,
  otherLanguageNotes,
  unfitTokensNotes,
} from '../../core/text/choose-tokenization.js'
import { LANGUAGE_SAMPLE } from '../../core/text/languages.js'
import type { Corpus } from '../../core/text/sequences.js'
import { parseLanguage, primaryLanguage, recordTokens } from '../../core/text/tokenization.js'
import { AccordError, hasCode, quote } from '../../errors.js'
import type { CaptionReading } from '../../formats/captions/caption-format.js'
import type { CaptionColumns } from '../../formats/captions/columns.js'
import { readImageObjects } from '../../formats/coco/image-objects.js'
import type { Matching } from '../../formats/coco/known-images.js'
import { type Progress, part, step } from '../../progress.js'
import type { Match } from '../../shared/choices.js'
import type { PairComparison } from '../comparisons/pair-comparison.js'
import { type Subset, subsetsOfFile } from '../datasets/field-subsets.js'
import { type AnnotatedObjects, annotatedObjects, objectNotes } from '../evaluations/annotated-objects.js'
import * as fixedDocuments from '../evaluations/fixed-documents.js'
import { bySubset, type ScoreOfSubset, scoreSubsets } from '../evaluations/subset-scores.js'
import { intervalNotes, namedNotes } from '../shared/intervals.js'
import * as files from './caption-files.js'
import { compareWithFirst, type FileComparison, withConclusion } from './compare-files.js'
import { beginHash, type MeasuredFile, type MeasuredScore, measure } from './measure-file.js'

export interface ScoreFilesOptions extends LanguageOptions, ResourceOptions {
  /** Path of a file of human captions; `-` for standard input. */
  readonly references: string
  /** Paths of files of systems' captions, at least one; `-` for standard input. */
  readonly results: readonly string[]
  /** The image of each line, for those of the files that are captions in lines. */
  readonly imageIds?: string
  /** What those of the files that have other names than the usual ones call images and captions. */
  readonly columns?: CaptionColumns
  /** For references in Karpathy's JSON: only images of this split. */
  readonly split?: string
  /** Paths of further files of references in lines, each with another caption of each image. */
  readonly moreReferences?: readonly string[]
  /** The field by whose values images are subsets with scores of their own. */
  readonly by?: string
  /** The language whose parameters, stems and synonyms METEOR has (BCP 47). Default: that of the captions. */
  readonly meteorLanguage?: string
  /** Names. Default: all. */
  readonly metrics?: readonly string[]
  /** Test every system against the first. */
  readonly significance: boolean
  /** Accept systems without captions for some images. */
  readonly isMissingAllowed: boolean
  /** Leave out captions of images that the references do not have. */
  readonly isExtraAllowed: boolean
  /** Remove markup of models from captions of systems. Default: false. */
  readonly isMarkupStripped?: boolean
  /** The rule by which files of systems name images. Default: of each file, the first one that finds the most. */
  readonly match?: Match
  /**
   * `coco` for the built-in document frequencies, a file, or a dataset of the database. Default: counted in the references of
   * the system's images.
   */
  readonly documentFrequencies?: string
  /** Path of a file of the objects that are annotated in the images. Default: only those that references mention. */
  readonly objects?: string
  /** The database whose composite metrics and datasets can be named. It is opened only if one is. */
  readonly location?: string
  /** Number of threads. Default: the number of cores. */
  readonly threadCount?: number
}

export interface ScoredFiles {
  /** The file of human captions. */
  readonly references: string
  /** In the order of the files. */
  readonly systems: readonly ScoredFile[]
  /** The metric that was named first. */
  readonly named?: string
  /** What to know when reading the scores. */
  readonly notes: readonly string[]
  /** How files of other formats than COCO's were recognized. */
  readonly formats: readonly files.FileFormat[]
  /** By subset, then by system. Empty unless a field is given. */
  readonly subsets: readonly (ScoreOfSubset & { readonly system: string })[]
}

export interface ScoredFile {
  readonly file: string
  /** Name of the file without its extension; the path if several files have the same name. */
  readonly system: string
  /** How its images were matched with those of the references. */
  readonly matching: Matching
  /** Images of the references without a caption of the system. */
  readonly missingImageCount: number
  /** Images of the system without a human caption: they have no score. */
  readonly unscoredImageCount: number
  /** Images that were scored. */
  readonly imageCount: number
  /** Mean numbers of tokens of the captions of the system, and of those of people, of the scored images. */
  readonly wordsPerCaption: number
  readonly wordsPerReference: number
  /** In the order in which metrics are shown. */
  readonly scores: readonly FileScore[]
}

export interface FileScore extends MeasuredScore {
  /** On the images of both, minus the first system; null for the first system, and if no tests are requested. */
  readonly comparison: FileComparison | null
}

/**
 * Scores systems of files against human captions of a file; a database is read only for composite metrics. The scores and
 * their signatures equal those of an evaluation of the imported files.
 *
 * @throws AccordError UNKNOWN_METRIC; NOT_APPLICABLE for a composite whose features are other metrics than those of its
 * training; errors of the readers of the files; MISSING_IMAGES without `isMissingAllowed`;
 * NOT_APPLICABLE if no image of a system has a human caption
 */
export async function scoreFiles(options: ScoreFilesOptions, progress: Progress): Promise<ScoredFiles> {
  const threads = createThreads(options)
  try {
    checkLanguage(options)
    const { meteorLanguage: tag } = options
    const meteorLanguage =
      tag === undefined ? undefined : primaryLanguage(parseLanguage(tag, 'METEOR’s language'))
    await knowMetrics(threads.registry, options)
    threads.start()
    const documents = await openDocuments(threads, options)
    return await score(threads, documents, { ...options, meteorLanguage }, progress)
  } finally {
    await threads.close()
  }
}

/** Makes metrics with these names known. If one is not built in, the composite metrics of the database are read. */
async function knowMetrics(
  registry: MetricRegistry,
  { metrics = [], location }: ScoreFilesOptions,
): Promise<void> {
  try {
    registry.resolve(metrics)
  } catch (error) {
    if (location === undefined || !hasCode(error, 'UNKNOWN_METRIC')) throw error
    await readMetrics(location, registry, error)
    registry.resolve(metrics)
  }
}

/** The document frequencies that are named, or null. */
async function openDocuments(
  threads: Threads,
  { documentFrequencies: name, location }: ScoreFilesOptions,
): Promise<fixedDocuments.FixedDocuments | null> {
  if (name === undefined) return null
  const documents = fixedDocuments.namedDocuments(name)
  if (documents !== null) return documents
  if (location === undefined) throw noDatabase(name)
  const { withDatabase } = await import('../../store/database.js')
  const { hashDataset, recordDataset } = await import('../evaluations/document-source.js')
  const { requireDataset } = await import('../../store/datasets.js')
  return withDatabase(location, { mustExist: true }, async (database) => {
    const dataset = await requireDataset(database, name)
    return {
      table: await hashDataset(database, threads, dataset),
      record: await recordDataset(database, dataset),
      counted: dataset,
    }
  })
}

function noDatabase(name: string): AccordError {
  return new AccordError('UNKNOWN_DATASET', 'datasets need a database', {
    source: 'document frequencies',
    expected: 'coco, or the name of a file that ends in .frequencies',
    found: quote(name),
  })
}

/** @param unknown the error if there is no database */
async function readMetrics(location: string, registry: MetricRegistry, unknown: AccordError): Promise<void> {
  const { openDatabase } = await import('../../store/database.js')
  const { loadMetrics } = await import('../shared/load-metrics.js')
  const database = await openDatabase(location, { mustExist: true }).catch((error: unknown) => {
    if (!hasCode(error, 'FILE_NOT_FOUND') && !hasCode(error, 'DATABASE_UNAVAILABLE')) throw error
    // A name that is nearly that of a metric is no composite of a database.
    if (unknown.detail.suggestion !== undefined) throw unknown
    const expected = `a composite metric of a database (${error.detail.source}: ${error.summary}), or ${unknown.detail.expected}`
    throw new AccordError(unknown.code, unknown.summary, { ...unknown.detail, expected })
  })
  try {
    await loadMetrics(database, registry)
  } finally {
    await database.close()
  }
}

/** @param options with METEOR’s language without region */
async function score(
  threads: Threads,
  documents: fixedDocuments.FixedDocuments | null,
  options: ScoreFilesOptions,
  progress: Progress,
): Promise<ScoredFiles> {
  const {
    references: file,
    results,
    imageIds,
    columns,
    split,
    moreReferences: more,
    metrics,
    significance,
    isMissingAllowed,
    isExtraAllowed,
    isMarkupStripped,
    match,
  } = options
  const languageNotes: string[] = []
  const tokenizer = createCaptionTokenizer(threads, (captions) => {
    const { notes, ...tokenization } = chooseTokenization(options, captions)
    languageNotes.push(...notes)
    return tokenization
  })
  const formatOf = new Map<number, Pick<files.FileFormat, 'format' | 'columns'>>()
  const toReading = (index: number): CaptionReading => {
    const reading = step(part(progress, 0, 0.3), index, results.length + 1)
    return {
      imageIds,
      areIdsShared: true,
      columns,
      areColumnsShared: true,
      onProgress: (share) => reading(share, 'reading captions'),
      onFormat: (format, used) => formatOf.set(index, { format, columns: used }),
    }
  }
  const references = files.readReferenceFile(file, tokenizer, {
    ...toReading(0),
    split,
    more,
    areLinesNumbered: imageIds === undefined,
  })
  const areLinesNumbered = imageIds === undefined && files.isLines(formatOf.get(0))
  const subsets = options.by === undefined ? [] : toSubsets(options.by, file, references)
  const tokenization = tokenizer.choose()
  const { meteorLanguage } = options
  const choice = threads.registry.choose(metrics, 'metrics', { ...tokenization, meteorLanguage })
  const tokens = recordTokens(tokenization)
  if (documents !== null) fixedDocuments.requireSameTokens(documents.counted, tokens)
  const chosen = choice.families.flatMap((family) => family.metrics.filter(choice.includes))
  const besideBuiltIn = fixedDocuments.metricsBesideBuiltIn(
    chosen.map(({ name }) => name),
    documents === null,
    tokens,
  )
  const beside =
    besideBuiltIn.length === 0
      ? null
      : {
          documents: fixedDocuments.builtInDocuments(),
          choice: threads.registry.choose(besideBuiltIn, 'metrics', tokenization),
        }
  const objects = options.objects === undefined ? null : readObjects(options.objects, references, choice)
  const method = { choice, documents, beside, tokenization, objects }
  const check = { isMissingAllowed, isExtraAllowed, isMarkupStripped, match }
  const read = results.map((path, index) =>
    files.readResultsFile(path, references, check, tokenizer, { ...toReading(index + 1), areLinesNumbered }),
  )
  const formats = Array.from(formatOf, ([index, format]) => ({
    file: [file, ...results][index],
    ...format,
    imageCount: [references.records, ...read.map(({ records }) => records)][index].length,
    captionCount: index === 0 ? references.lists.references.length : read[index - 1].records.length,
  }))
  if (areLinesNumbered) files.requireParallelLines(formats, results)
  files.requireNeededIds(imageIds, formats)
  files.requireUsedColumns(columns, formats)
  const revision = beginHash(threads, references.records, (content) =>
    digestDataset(content, references.captionsPerImage),
  )
  const contents = read.map(({ records }) => beginHash(threads, records, digestResults))
  const isRaw = captionForm(choice.families) === 'raw'
  const corpus = { ...(await tokenizer.finish()), ...(isRaw && { written: tokenizer.captions }) }
  const names = files.nameSystems(results)
  const measured: MeasuredFile[] = []
  for (const [index, system] of read.entries()) {
    const measuring = step(part(progress, 0.3, 1), index, read.length)
    const hashes = { revision, content: contents[index] }
    measured.push(await measure(threads, method, { references, system, corpus, hashes }, measuring))
  }
  const comparisons = significance
    ? await compareWithFirst(measured)
    : new Map<string, (PairComparison | null)[]>()
  progress(1, 'done')
  return {
    references: file,
    named: metrics && threads.registry.resolve(metrics.slice(0, 1))[0],
    systems: measured.map(({ scores, images, ...counts }, index) => ({
      file: results[index],
      system: names[index],
      matching: read[index].matching,
      missingImageCount: read[index].missingImageCount,
      ...counts,
      imageCount: images.length,
      scores: inOrder(threads.registry, scores).map(
        ({ statistics: _statistics, family: _family, ...score }) => ({
          ...score,
          comparison: withConclusion(comparisons.get(score.metric)?.[index], score.metric, [
            names[index],
            names[0],
          ]),
        }),
      ),
    })),
    notes: [
      ...languageNotes,
      ...unfitTokensNotes(countShort(corpus), corpus.offsets.length - 1, tokenization),
      ...namedNotes(
        measured.map(({ scores }, index) => ({
          name: names[index],
          notes: [
            ...read[index].notes,
            ...otherLanguageNotes(captionsOf(read[index]), tokenization),
            ...scores.flatMap(({ metric }) => threads.registry.require(metric).notes),
            ...objectNotes(
              threads.registry,
              scores.map(({ record }) => record),
            ),
            ...fixedDocuments.frequencyNotes(scores.map(({ record }) => record)),
            ...intervalNotes(scores.map(({ status, coco }) => coco?.status ?? status)),
          ],
        })),
      ),
    ],
    formats,
    subsets: scoreOnSubsets(subsets, measured, names),
  }
}

/** The images of a file by the values of a field, as positions. */
function toSubsets(
  field: string,
  file: string,
  { fields, positionOfImage }: files.ReferenceFile,
): Subset<number>[] {
  return subsetsOfFile(fields, field, file).map(({ value, images }) => ({
    value,
    images: images.map((image) => positionOfImage.get(image) as number),
  }))
}

function scoreOnSubsets(
  subsets: readonly Subset<number>[],
  systems: readonly MeasuredFile[],
  names: readonly string[],
): ScoredFiles['subsets'] {
  const rows = systems.flatMap(({ images, scores }, index) => {
    const positions = new Map(Array.from(images, (image, position) => [image, position]))
    return scores.flatMap(({ metric, family, statistics, record }) =>
      scoreSubsets({ family, trials: [statistics] }, positions, subsets, metric, record).map((row) => ({
        ...row,
        system: names[index],
      })),
    )
  })
  return bySubset(subsets, rows)
}

/** Captions with one token, or none. */
const countShort = ({ offsets }: Corpus) =>
  offsets.reduce((count, end, index) => (index > 0 && end - offsets[index - 1] <= 1 ? count + 1 : count), 0)

/** The captions of a system, as records have them after the image. */
const captionsOf = ({ records }: files.ResultsFile) =>
  records.slice(0, LANGUAGE_SAMPLE).map(([, text]) => text)

/** @throws AccordError as `readImageObjects`; NOT_APPLICABLE if they are those of other images */
function readObjects(
  file: string,
  { positionOfImage }: files.ReferenceFile,
  { families }: MetricChoice,
): AnnotatedObjects {
  const counting = families.filter(({ countsObject }) => countsObject !== undefined)
  const isKnown = (name: string) =>
    counting.length === 0 || counting.some((family) => family.countsObject?.(firstTerm(name)))
  const read = readImageObjects(file, isKnown)
  const known = [...read].flatMap(([externalId, names]) => {
    const image = positionOfImage.get(externalId)
    return image === undefined ? [] : [{ image, externalId, names: [...names] }]
  })
  if (known.length === 0) {
    throw new AccordError('NOT_APPLICABLE', 'no image of the references has annotated objects', {
      source: file,
      expected: 'ids of their images',
      found: [...read.keys()].slice(0, 3).map(quote).join(', ') || 'no image',
    })
  }
  return annotatedObjects(known)
}
