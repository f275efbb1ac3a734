import type { ComparedOn } from '../../services/comparisons/comparisons.js'
import type { CoverageReport } from '../../services/coverage/compute-coverage.js'
import type { Example } from '../../services/images/examples.js'
import type { FairEvaluation } from '../../services/scoring/evaluate.js'
import { judgeScore, toInterval } from '../../services/shared/intervals.js'
import type { WordReport } from '../../services/words/word-report.js'
import { coverageSentence, nameOfPeople } from '../../shared/coverage-sentence.js'
import { counted, fixed } from '../../shared/numbers.js'
import type { Cell, TextTable } from '../../shared/tables.js'
import { REASON_PHRASES } from '../../shared/undefined-reason.js'
import {
  ABOVE_PEOPLE,
  BELOW_PEOPLE,
  conclude,
  MAIN_METRIC,
  PEOPLE,
  WORSE_THAN_BEST,
} from '../../shared/verdict.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { NONE, type NumberStyle, type Spread, showInterval, showSpread } from '../output/formats.js'
import type { Block, CoverageMark, Inline, Section, ShownExample } from '../output/section.js'
import { AGREEMENT_PAPER, bibliographyOf, papersOf } from './bibliography.js'
import { correctionOf } from './comparison-report.js'
import { markBest } from './score-table.js'

/** What an evaluation section is made of. */
export interface SectionMaterial {
  readonly dataset: Dataset
  /** Of Accord. */
  readonly version: string
  readonly evaluations: readonly FairEvaluation[]
  /** Systems with each other, on all references; null for a single system. */
  readonly compared: readonly ComparedOn[] | null
  /** Systems and people, on as many references as people have; null without scores of people. */
  readonly comparedWithPeople: readonly ComparedOn[] | null
  readonly coverage: CoverageReport | null
  /** Null for captions whose words are not measured. */
  readonly words: WordReport | null
  readonly examples: readonly (Example & { readonly picture: string | null })[]
  /** Metric of the examples. */
  readonly exampleMetric: string
  readonly composites: ReadonlySet<string>
  /** Path of the drawing of coverage, relative to the section. */
  readonly coveragePicture: string
}

export interface SectionStyle {
  readonly numbers: NumberStyle
  /** Whether also the scores are bold that tests do not tell apart from the best. */
  readonly isTiedBold: boolean
}

/** The evaluation section of a paper. */
export function evaluationSection(material: SectionMaterial, style: SectionStyle): Section {
  const { version, evaluations, composites } = material
  const metrics = evaluations[0].report.scores.map(({ metric }) => metric)
  const papers = metrics.flatMap((metric) => papersOf(metric, composites.has(metric)))
  const hasPeople = material.comparedWithPeople !== null
  return {
    title: 'Evaluation',
    version,
    blocks: [
      { kind: 'paragraph', text: introduction(material, metrics, style.numbers) },
      scoreTable(material, metrics, style),
      ...coverageBlocks(material),
      ...wordBlocks(material, style),
      ...exampleBlocks(material, style),
      { kind: 'signatures', signatures: signaturesOf(material) },
    ],
    bibliography: bibliographyOf([...papers, ...(hasPeople ? [AGREEMENT_PAPER] : [])]),
  }
}

function introduction(
  { dataset, version, evaluations, compared, comparedWithPeople, composites }: SectionMaterial,
  metrics: readonly string[],
  numbers: NumberStyle,
): Inline[] {
  const cited = metrics.map((metric, index): Inline[] => {
    const cite = papersOf(metric, composites.has(metric))
    const joint = index === 0 ? '' : index === metrics.length - 1 ? ' and ' : ', '
    return [`${joint}${metric}`, ...(cite.length > 0 ? [{ cite }] : [])]
  })
  const systems = counted(evaluations.length, 'captioning system')
  const captions = counted(dataset.captionsPerImage, 'caption')
  return [
    { label: SCORES },
    ` has the scores of ${systems} on ${dataset.name} (${counted(dataset.imageCount, 'image')}, ${captions} by people each) by `,
    ...cited.flat(),
    `, computed with Accord ${version}.`,
    ...(comparedWithPeople === null
      ? []
      : [
          ` People are scored as systems are: each of their captions against the ${counted(dataset.captionsPerImage - 1, 'other one')} of its image`,
          { cite: [AGREEMENT_PAPER] },
          '.',
        ]),
    ...[compared, comparedWithPeople].flatMap((table) => verdictOf(table, evaluations, metrics, numbers)),
  ]
}

/** The answer about the best system: beside the second, or beside people. */
function verdictOf(
  table: readonly ComparedOn[] | null,
  evaluations: readonly FairEvaluation[],
  metrics: readonly string[],
  { isPercent }: NumberStyle,
): string[] {
  const main = mainMetric(metrics)
  const ranked = rankedNames(evaluations, main)
  const rows =
    table?.find(({ figure }) => figure.kind === 'METRIC' && figure.metric === main)?.comparisons ?? []
  const other = rows.some(({ first, second }) => first === null || second === null) ? null : ranked[1]
  const row = rows.find(({ first, second }) => isPair([first, second], ranked[0], other))
  if (row === undefined) return []
  const [first, second] = [row.first, row.second].map((side) => side?.name ?? PEOPLE)
  return [` ${conclude({ ...row, first, second, figure: main }, isPercent)}`]
}

/** The metric that systems are compared by first. */
export function mainMetric(metrics: readonly string[]): string {
  return metrics.find((metric) => metric === MAIN_METRIC) ?? metrics[0]
}

/** Names of systems, best first by a metric on all references. */
export function rankedNames(evaluations: readonly FairEvaluation[], metric: string): string[] {
  const rows = evaluations.map(({ report: { system, scores } }) => ({
    name: system.name,
    ...scores.find((score) => score.metric === metric),
  }))
  const keyOf = ({ value, higherIsBetter = true }: (typeof rows)[number]) =>
    value == null ? Number.NEGATIVE_INFINITY : higherIsBetter ? value : -value
  return rows.toSorted((one, other) => keyOf(other) - keyOf(one) || 0).map(({ name }) => name)
}

const SCORES = 'accord-scores'
const COVERAGE = 'accord-coverage'
const WORDS = 'accord-words'
const EXAMPLES = 'accord-examples'

interface ScoreRow extends Spread {
  /** Null for people. */
  readonly system: string | null
  readonly metric: string
  readonly higherIsBetter: boolean
}

type Pair = ComparedOn['comparisons'][number]

/** A group of rows for each kind of references, with people in the second. */
function scoreTable(
  { evaluations, compared, comparedWithPeople, dataset }: SectionMaterial,
  metrics: readonly string[],
  style: SectionStyle,
): Block {
  const all = evaluations.map(({ report }) => report)
  const matched = evaluations.flatMap((evaluation) => evaluation.matched ?? [])
  const kinds = [
    { reports: all, table: compared, people: [] },
    ...(comparedWithPeople === null || matched.length === 0
      ? []
      : [{ reports: matched, table: comparedWithPeople, people: [matched[0]] }]),
  ]
  const groups = kinds.map(({ reports, table, people }) => {
    const rows: ScoreRow[] = [
      ...reports.flatMap(({ system, scores }) =>
        scores.map((score) => ({ ...score, system: system.name, interval: toInterval(score) })),
      ),
      ...people.flatMap(({ scores, human }) =>
        scores.map(({ metric, higherIsBetter }) => {
          const row = human.get(metric)
          return {
            metric,
            higherIsBetter,
            system: null,
            value: row?.mean ?? null,
            interval: row ? toInterval(row) : null,
          }
        }),
      ),
    ]
    const [{ references, scores }] = reports
    const number = references === null ? countedRange(scores[0].record.references) : String(references)
    return scoreLines(rows, table ?? [], metrics, style).map(([name, ...cells]) => [
      name,
      { text: name.text === '' ? '' : number },
      ...cells,
    ])
  })
  return {
    kind: 'table',
    label: SCORES,
    caption: [scoreCaption(dataset, compared, comparedWithPeople, style), ...missingIntervals(all)].join(' '),
    table: {
      columns: [
        { title: 'system', align: 'left' },
        { title: 'references', align: 'right' },
        ...metrics.map((title) => ({ title, align: 'right' as const })),
      ],
      groups,
    },
  }
}

const countedRange = ({ least, most }: { readonly least: number; readonly most: number }) =>
  least === most ? String(least) : `${least}–${most}`

/** Two lines for each system: its scores, and their intervals. */
function scoreLines(
  rows: readonly ScoreRow[],
  table: readonly ComparedOn[],
  metrics: readonly string[],
  { numbers, isTiedBold }: SectionStyle,
): Cell[][] {
  const best = markBest(rows, ({ metric }) => metric)
  const pairsOf = (metric: string): readonly Pair[] =>
    table.find(({ figure }) => figure.kind === 'METRIC' && figure.metric === metric)?.comparisons ?? []
  const verdict = ({ metric, system }: ScoreRow, other: string | null) => {
    const pair = pairsOf(metric).find(({ first, second }) => isPair([first, second], system, other))
    if (pair === undefined) return undefined
    const { together } = pair
    if (together.better === null) return together.interval === null ? undefined : 'EQUAL'
    return ((together.better === 'FIRST' ? pair.first : pair.second)?.name ?? null) === system
      ? 'BETTER'
      : 'WORSE'
  }
  const cellOf = (row: (typeof best)[number]): Cell => {
    if (row.value === null) return { text: NONE }
    const [winner] = best.filter(({ metric, isBest }) => isBest && metric === row.metric)
    const besideBest = row.isBest || winner === undefined ? undefined : verdict(row, winner.system)
    const besidePeople = row.system === null ? undefined : verdict(row, null)
    const marks = [
      ...(besideBest === 'WORSE' ? [WORSE_THAN_BEST] : []),
      ...(besidePeople === 'BETTER' ? [ABOVE_PEOPLE] : besidePeople === 'WORSE' ? [BELOW_PEOPLE] : []),
    ]
    return {
      text: `${numbers.score(row.value)}${marks.join('')}`,
      isStrong: row.isBest || (isTiedBold && besideBest === 'EQUAL'),
    }
  }
  return [...new Set(rows.map(({ system }) => system))].flatMap((system) => {
    const own = metrics.map((metric) => best.find((row) => row.system === system && row.metric === metric))
    const spreads = own.map((row) => (row ? showSpread(row, columnOf(rows, row), numbers) : ''))
    return [
      [{ text: system ?? PEOPLE }, ...own.map((row) => (row ? cellOf(row) : { text: NONE }))],
      ...(spreads.every((text) => text === '') ? [] : [[{ text: '' }, ...spreads.map((text) => ({ text }))]]),
    ]
  })
}

const columnOf = (rows: readonly ScoreRow[], { metric }: ScoreRow) =>
  rows.filter((row) => row.metric === metric)

/** Whether two sides are those with these names, in any order; null for people. */
function isPair(
  sides: readonly ({ readonly name: string } | null)[],
  one: string | null,
  other: string | null,
): boolean {
  const names = sides.map((side) => side?.name ?? null)
  return one !== other && names.includes(one) && names.includes(other)
}

function scoreCaption(
  { name, imageCount }: Dataset,
  compared: readonly ComparedOn[] | null,
  withPeople: readonly ComparedOn[] | null,
  { isTiedBold }: SectionStyle,
): string {
  const [systems, people] = [compared, withPeople].map((table) =>
    (table ?? []).flatMap((row) => row.comparisons),
  )
  const marks = [
    ...(systems.length + people.length > 0 ? [`${WORSE_THAN_BEST}: worse than the best.`] : []),
    ...(people.length > 0
      ? [`${ABOVE_PEOPLE}, ${BELOW_PEOPLE}: better, worse than people on as many references.`]
      : []),
  ]
  const corrections = [
    ...(systems.length > 0 ? [correctionOf(systems)] : []),
    ...(people.length > 0 ? [`${systems.length > 0 ? '; with people' : ''}${correctionOf(people)}`] : []),
  ]
  const tied = isTiedBold ? ', and those that a test does not tell apart from it' : ''
  return [
    `Scores on ${name} (${counted(imageCount, 'image')}), with 95 % intervals (jackknife over images) below them.`,
    ...(marks.length === 0
      ? []
      : [
          `Bold: the best score of each column and number of references${tied}.`,
          ...marks,
          `By paired tests, p < .05${corrections.join('')}.`,
        ]),
  ].join(' ')
}

/** Which metrics have no interval because document frequencies change with the images, which readers of a paper ask for. */
function missingIntervals(reports: SectionMaterial['evaluations'][number]['report'][]): string[] {
  const names = reports.flatMap(({ scores }) =>
    scores.flatMap(({ metric, record, ...ends }) =>
      judgeScore(ends, record).undefinedReason === 'OWN_DOCUMENTS' ? [metric] : [],
    ),
  )
  return names.length === 0
    ? []
    : [`${[...new Set(names)].join(', ')}: no interval, since ${REASON_PHRASES.OWN_DOCUMENTS}.`]
}

/** What captions say beside people, of any length. */
function coverageBlocks({ coverage, coveragePicture: picture }: SectionMaterial): Block[] {
  if (coverage === null) return []
  const people = coverage.people.flatMap((point) => markOf(nameOfPeople(point.people), point))
  const systems = coverage.systems.flatMap((system) => markOf(system.system, system))
  if (people.length + systems.length === 0) return []
  const sentence = coverageSentence(coverage.people, coverage.systems)
  const others = counted(coverage.references, 'other person', 'other people')
  return [
    {
      kind: 'paragraph',
      text: [
        { label: COVERAGE },
        ' compares what captions say with what people say, whatever their length.',
        ...(sentence === null ? [] : [` ${sentence}`]),
      ],
    },
    {
      kind: 'coverage',
      label: COVERAGE,
      caption: `Coverage (of what ${others} say, how much is said) and confirmed share (of what is said, how much another person says) on ${counted(coverage.imageCount, 'image')}: systems, and several people as one. Bars are 95 % intervals, where there are any.`,
      people,
      systems,
      picture,
    },
  ]
}

function markOf(
  name: string,
  { coverage, confirmedShare }: Pick<CoverageReport['people'][number], 'coverage' | 'confirmedShare'>,
): CoverageMark[] {
  if (coverage.value === null || confirmedShare.value === null) return []
  return [
    {
      name,
      coverage: { value: coverage.value, interval: coverage.interval },
      confirmedShare: { value: confirmedShare.value, interval: confirmedShare.interval },
    },
  ]
}

/** Words of each use that are shown of a system. */
const SHOWN_WORDS = 5

/** How well words are confirmed, and those that systems use more or less often than people. */
function wordBlocks({ words }: SectionMaterial, { numbers }: SectionStyle): Block[] {
  if (words === null) return []
  const rows = words.systems.flatMap(({ name }) => {
    const [more, less] = (['OVERUSED', 'UNDERUSED'] as const).map((use) => {
      const used = (words.rates.get(name) ?? []).filter((rate) => rate.use === use).slice(0, SHOWN_WORDS)
      return used.map(
        ({ word, ratio }) => `${word.text} (${ratio === null ? 'never by people' : fixed(ratio, 2)})`,
      )
    })
    return [
      [{ text: name }, { text: 'more often' }, { text: more.join(', ') || NONE }],
      [{ text: '' }, { text: 'less often' }, { text: less.join(', ') || NONE }],
    ]
  })
  if (rows.length === 0) return []
  const table: TextTable = {
    columns: [
      { title: 'system', align: 'left' },
      { title: 'than people', align: 'left' },
      { title: 'words', align: 'left', width: 0.55 },
    ],
    groups: [rows],
  }
  return [
    {
      kind: 'paragraph',
      text: [
        ...wordSentences(words, numbers),
        ' ',
        { label: WORDS },
        ' has the words that systems use more and less often than people.',
      ],
    },
    {
      kind: 'table',
      label: WORDS,
      caption: `Words that systems use more or less often than people in the same images: the ${SHOWN_WORDS} farthest from people by the nearer end of the interval, with the ratio of the shares of captions that have them. The intervals of all words of a system hold together with 95 %.`,
      table,
    },
  ]
}

/** The mean precision of words, of people and of systems. */
function wordSentences({ means, systems, references }: WordReport, numbers: NumberStyle): string[] {
  const show = (figure: string, ofSubject: WordReport['means']['people'] = []) => {
    const mean = ofSubject.find((row) => row.figure === figure)
    if (mean?.value == null) return null
    const ends = mean.interval === null ? '' : ` ${showInterval(mean.interval, numbers.share)}`
    return { text: `${numbers.share(mean.value)}${ends}`, wordCount: mean.wordCount }
  }
  const people = show('HUMAN_PRECISION', means.people)
  if (people === null) return []
  const own = systems.flatMap(({ name }) => {
    const mean = show('WORD_PRECISION', means.systems.get(name))
    return mean === null ? [] : [`${mean.text} (${name}, ${counted(mean.wordCount, 'word')})`]
  })
  return [
    `Where one person uses a word of the vocabulary, one of ${counted(references, 'other')} uses it with a probability of ${people.text} (mean over ${counted(people.wordCount, 'word')}).`,
    ...(own.length === 0 ? [] : [` The same of words that systems use: ${own.join('; ')}.`]),
  ]
}

/** Human captions of an image that are shown. */
const SHOWN_CAPTIONS = 3

function exampleBlocks({ examples, exampleMetric }: SectionMaterial, { numbers }: SectionStyle): Block[] {
  if (examples.length === 0) return []
  const shown = examples.map(
    ({ imageId, picture, captions, systems }): ShownExample => ({
      imageId,
      picture,
      captions: [
        ...systems.map(({ system, text, score }) => ({ by: `${system} (${numbers.score(score)})`, text })),
        ...captions.slice(0, SHOWN_CAPTIONS).map((text) => ({ by: PEOPLE, text })),
      ],
    }),
  )
  const [{ systems }] = examples
  const [own, other] = systems.map(({ system }) => system)
  const order =
    other === undefined
      ? `the image on which ${own} is best, and those on which it is worst`
      : `the images on which ${own} is farthest above ${other}, and the one on which it is farthest below`
  return [
    { kind: 'paragraph', text: [{ label: EXAMPLES }, ' shows captions beside those of people.'] },
    {
      kind: 'examples',
      label: EXAMPLES,
      caption: `Captions of images, with ${exampleMetric} of each: ${order}. Images were chosen by these scores, not at random.`,
      examples: shown,
    },
  ]
}

function signaturesOf({ evaluations, coverage }: SectionMaterial): string[] {
  const scores = evaluations.flatMap(({ report, matched }) => [report, ...(matched ? [matched] : [])])
  return [
    ...new Set([
      ...scores.flatMap((report) => report.scores.map(({ signature }) => signature)),
      ...(coverage === null ? [] : [coverage.signature]),
    ]),
  ]
}
