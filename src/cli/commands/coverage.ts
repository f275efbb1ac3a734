import { pathToFileURL } from 'node:url'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { collectList, parseText, wholeNumber } from '../../config.js'
import type { CoverageShares } from '../../core/coverage/coverage-figures.js'
import type { Interval } from '../../core/stats/interval.js'
import { projectFile } from '../../project.js'
import type { CoverageReport } from '../../services/coverage/compute-coverage.js'
import type { Accord } from '../../services/shared/accord.js'
import { COVERAGE_UNITS, type CoverageUnits } from '../../shared/choices.js'
import { BESIDE_METRICS, coverageSentence } from '../../shared/coverage-sentence.js'
import { counted } from '../../shared/numbers.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import {
  chairCompatibleOption,
  datasetOption,
  objectWordsOption,
  readObjectOptions,
  weightsOption,
} from '../options.js'
import { percentOption } from '../output/output.js'
import { checkOutput, writeParts, writeText } from '../output/output-file.js'
import { canDrawPng, drawPng, PNG_PROGRAMS } from '../output/png.js'
import { withProgress } from '../output/progress.js'
import { type FilesOptions, printsDatasetOrFilesReport } from '../report-command.js'
import {
  type BesideScores,
  COVERAGE_DIFFERENCES,
  coverageColumns,
  coverageReport,
  unconfirmedColumns,
} from '../reports/coverage-report.js'

interface Options extends FilesOptions {
  readonly units: CoverageUnits
  readonly references?: number
  readonly documentFrequencies?: string
  readonly plot?: string
  readonly objectWords?: string
  readonly chairCompatible?: true
}

/** `accord coverage` */
export function register(program: Command): void {
  const command = program
    .command('coverage')
    .summary('how much captions of any length say beside people, and how much of it others confirm')
    .description(
      'Compare what captions say with what people say, so that a caption of eight words, one of ninety, and one, two or' +
        ' three people stand in one table: coverage (of what other people say, how much is said), consensus coverage (of what' +
        ' all of them say), confirmed share (of what is said, how much another person says), the number of people who say as' +
        ' much together, and the confirmed share beside that of these people, with 95 % intervals (jackknife over images) and' +
        ' paired tests. Works in any language.',
    )
    .addOption(datasetOption())
    .option(
      '--system <name...>',
      'only these systems; several names, or the option several times (default: all with captions)',
      collectList(parseText),
    )
    .addOption(
      new Option(
        '--units <units>',
        'what is counted: words, distinct words of which rare ones weigh more; types, distinct words alike; in English objects,' +
          ' those of COCO’s 80 categories; open-objects, those of scene graphs; tuples, of scene graphs',
      )
        .choices(COVERAGE_UNITS)
        .default('words'),
    )
    .option(
      '--references <r>',
      'captions that are compared with, 1 to K (default: 2, or 1 where images have fewer than 3)',
      wholeNumber(1),
    )
    .addOption(weightsOption())
    .addOption(objectWordsOption())
    .addOption(chairCompatibleOption())
    .option(
      '--plot <file>',
      'write the picture of coverage and confirmed share, as SVG, or as PNG where a program of this machine draws it',
      parsePlot,
    )
    .addOption(percentOption())
  const help = {
    examples: [
      'accord coverage captions_val2017.json mine.json theirs.json',
      'accord coverage references.json mine.json --document-frequencies coco',
      'accord coverage --dataset coco --units types --references 1',
      'accord coverage captions_val2017.json mine.json --plot coverage.svg',
    ],
    json: {
      report:
        'dataset, units, references, captionsPerImage, imageCount, excludedImageCount, summary, notes, rows, differences, unconfirmed (with --units)',
      rows: coverageColumns(0, true),
      differences: COVERAGE_DIFFERENCES,
      unconfirmed: unconfirmedColumns,
    },
  }
  printsDatasetOrFilesReport<Options>(command, help, async (accord, dataset, options) => {
    const { units, references, system: systems, documentFrequencies, plot } = options
    const objects = readObjectOptions(options)
    const { coverageNotes, listUnconfirmed, measureCoverage } = await import(
      '../../services/coverage/coverage.js'
    )
    const { documentsOf } = await import('../../services/evaluations/document-source.js')
    checkOutput(plot, options.force)
    const chosen = { units, references, systems, ...documentsOf(documentFrequencies), ...objects }
    const report = await withProgress((progress) => measureCoverage(accord, dataset, chosen, { progress }))
    if (plot !== undefined) await writePlot(plot, await drawCoverage(report))
    const unconfirmed =
      units === 'objects' || units === 'open-objects'
        ? await listUnconfirmed(accord, dataset, namesOf(report), { units, ...objects })
        : null
    const scores = await storedScores(accord, dataset)
    return coverageReport(report, coverageNotes(report), { scores, unconfirmed })
  })
}

const namesOf = ({ systems }: CoverageReport) => systems.map(({ system }) => system)

/** Pictures that are drawn of the SVG, and others. */
const PNG = /\.png$/i
const OTHER_PICTURE = /\.(jpe?g|gif|webp|tiff?|pdf)$/i

/** @throws InvalidArgumentError for another picture than SVG and PNG, and for PNG without a program that draws it */
function parsePlot(file: string): string {
  if (OTHER_PICTURE.test(file)) throw new InvalidArgumentError('Expected a file of SVG or PNG.')
  if (PNG.test(file) && !canDrawPng()) {
    const svg = file.replace(PNG, '.svg')
    throw new InvalidArgumentError(
      `No program of this machine draws PNG: expected one of ${PNG_PROGRAMS}. Write ${svg}, or save PNG on the page of the dataset.`,
    )
  }
  return parseText(file)
}

async function writePlot(file: string, svg: string): Promise<void> {
  if (PNG.test(file)) await writeParts([drawPng(svg)], file)
  else await writeText(file, svg)
}

/** Scores on as many references as people have, as far as they are computed, by metric and by system; null for people. */
async function storedScores(accord: Accord, dataset: Dataset): Promise<BesideScores> {
  const scores = new Map<string, ReadonlyMap<string | null, number>>()
  if (dataset.captionsPerImage < 2) return scores
  const { rankSystems } = await import('../../services/leaderboard/leaderboard.js')
  const references = dataset.captionsPerImage - 1
  for (const metric of BESIDE_METRICS) {
    const rows = await rankSystems(accord, dataset, { by: 'METRIC', metric, references })
    const known = rows.flatMap(({ system, value }) =>
      value === null ? [] : [[system?.name ?? null, value] as const],
    )
    scores.set(metric, new Map(known))
  }
  return scores
}

/** What the picture needs of `dist/report/report.js`, which is built from the pages of the dashboard. */
interface Renderer {
  renderCoverage(picture: {
    readonly title: string
    readonly about: string
    readonly source: string
    readonly people: readonly (Mark & { readonly people: number })[]
    readonly systems: readonly (Mark & { readonly name: string })[]
  }): string
}

interface Mark {
  readonly coverage: number
  readonly coverageInterval: Interval | null
  readonly confirmedShare: number
  readonly confirmedShareInterval: Interval | null
}

/** The picture as SVG. Systems whose figures are undefined are left out. */
export async function drawCoverage({
  dataset,
  imageCount,
  references,
  people,
  systems,
  signature,
}: CoverageReport): Promise<string> {
  const { renderCoverage }: Renderer = await import(pathToFileURL(projectFile('dist/report/report.js')).href)
  const hasLines = [...people, ...systems].some(({ coverage }) => coverage.interval !== null)
  return renderCoverage({
    title: coverageSentence(people, systems) ?? `Coverage and confirmed share on ${dataset}`,
    about: `${dataset}, ${counted(imageCount, 'image')}: a dot is a system, or several people as one, beside ${counted(references, 'other person', 'other people')}${hasLines ? '; lines are 95 % intervals' : ''}`,
    source: signature,
    people: people.flatMap((point) => marksOf(point).map((mark) => ({ ...mark, people: point.people }))),
    systems: systems.flatMap((system) => marksOf(system).map((mark) => ({ ...mark, name: system.system }))),
  })
}

function marksOf({ coverage, confirmedShare }: CoverageShares): Mark[] {
  if (coverage.value === null || confirmedShare.value === null) return []
  return [
    {
      coverage: coverage.value,
      coverageInterval: coverage.interval,
      confirmedShare: confirmedShare.value,
      confirmedShareInterval: confirmedShare.interval,
    },
  ]
}
