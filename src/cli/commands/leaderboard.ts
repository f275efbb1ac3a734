import { type Command, Option } from 'commander'
import { embeddingsOption, meteorDataOption, wholeNumber } from '../../config.js'
import type { PartOfSpeech } from '../../core/text/part-of-speech.js'
import type { Accord } from '../../services/accord.js'
import type { LeaderboardOptions } from '../../services/leaderboard/leaderboard.js'
import type { Dataset } from '../../store/schema/entities.js'
import {
  boundsOption,
  datasetOption,
  layoutOption,
  metricsOption,
  partOfSpeechOption,
  vocabularyOfOption,
} from '../options.js'
import { percentOption } from '../output/output.js'
import { printsDatasetReport, type ReportOptions } from '../report-command.js'
import type { Leaderboard } from '../reports/leaderboard-report.js'
import type { ScoreLayout } from '../reports/score-table.js'

interface Options extends ReportOptions, Pick<ScoreLayout, 'layout'> {
  readonly metrics?: readonly string[]
  readonly references?: number
  readonly captions?: boolean
  readonly partOfSpeech?: readonly PartOfSpeech[]
  readonly vocabularyOf?: string
  readonly bounds?: boolean
}

/** `accord leaderboard` */
export function registerLeaderboard(program: Command): void {
  const command = program
    .command('leaderboard')
    .summary('rank systems and people')
    .description(
      'Rank the systems of a dataset by mean precision at human recall, captioning systems by the precision of their' +
        ' words, or by their stored scores on metrics. Only' +
        ' figures that were computed in the same way are ranked; the others follow, with the reason. People are' +
        ' ranked with systems that have the same number of references.',
    )
    .addOption(datasetOption())
    .addOption(metricsOption('no metric, but mean precision at human recall'))
    .option(
      '--references <k>',
      'references per image, 1 to K - 1 (default: K - 1; all references for a metric, without people)',
      wholeNumber(1),
    )
    .addOption(
      new Option('--captions', 'rank captioning systems by the mean precision of their words').conflicts(
        'metrics',
      ),
    )
    .addOption(partOfSpeechOption().conflicts('metrics'))
    .addOption(vocabularyOfOption().conflicts('metrics'))
    .addOption(boundsOption())
    .addOption(layoutOption())
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addOption(percentOption())
  const help = {
    examples: [
      'accord leaderboard --dataset coco --metric CIDEr-D --references 4',
      'accord leaderboard --metrics BLEU-4 METEOR CIDEr-D SPICE --references 4 --format latex',
    ],
    json: {
      report: 'dataset, by, rows',
      rows:
        'metric, rank, system, isHuman, value, interval, rarefied, references, wordCount, imageCount, isPartial, group,' +
        ' undefinedReason, signature, gapToPeople, provenance, notes',
    },
  }
  printsDatasetReport<Options>(command, help, async (accord, dataset, options) => {
    const { leaderboardReport } = await import('../reports/leaderboard-report.js')
    const { metrics } = options
    const boards: Leaderboard[] = []
    for (const metric of metrics ? await resolveNames(accord, metrics) : [undefined]) {
      boards.push(await readLeaderboard(accord, dataset, options, metric))
    }
    return leaderboardReport(boards, options)
  })
}

async function resolveNames(accord: Accord, names: readonly string[]): Promise<string[]> {
  const { resolveMetrics } = await import('../../services/evaluations/scores.js')
  return resolveMetrics(accord, names)
}

async function readLeaderboard(
  accord: Accord,
  dataset: Dataset,
  { references, captions, partOfSpeech, vocabularyOf, bounds }: Options,
  metric: string | undefined,
): Promise<Leaderboard> {
  const { rankSystems } = await import('../../services/leaderboard/leaderboard.js')
  const { completeRows, leaderboardNotes } = await import('../../services/leaderboard/complete-rows.js')
  const options: LeaderboardOptions = {
    by: metric !== undefined ? 'METRIC' : captions ? 'WORD_PRECISION' : 'PHR',
    metric,
    references,
    partOfSpeech,
    vocabularyOf,
    isBoundIncluded: bounds,
  }
  const ranked = await rankSystems(accord, dataset, options)
  const rows = await completeRows(accord, dataset, ranked, options)
  const notes = await leaderboardNotes(accord, dataset, rows, options)
  return { dataset, options, rows: rows.map((row, index) => ({ ...row, notes: notes[index] })) }
}
