import { findDifference } from '../../core/metrics/provenance.js'
import { conclude, type Question } from '../../shared/verdict.js'
import { type ComparedRows, createPairComparer } from '../comparisons/pair-comparer.js'
import * as pairing from '../comparisons/pair-comparison.js'
import type { MeasuredFile } from './measure-file.js'

/** A system compared with the first one. */
export interface FileComparison extends pairing.PairComparison {
  /** Whether they differ by this metric, as if nothing else was asked; its answer is `conclusion`. */
  readonly question: Question
  readonly conclusion: string
}

export function withConclusion(
  comparison: pairing.PairComparison | null | undefined,
  figure: string,
  [first, second]: readonly [string, string],
): FileComparison | null {
  if (!comparison) return null
  const question = { ...comparison, figure, first, second }
  return { ...comparison, question, conclusion: conclude(question) }
}

/** By metric, for each system the comparison with the first one; null for the first itself. All of them are one table. */
export async function compareWithFirst(
  systems: readonly MeasuredFile[],
): Promise<Map<string, (pairing.PairComparison | null)[]>> {
  const [first, ...others] = systems
  const comparers = new Map<string, ReturnType<typeof createPairComparer>>()
  const compare = async (
    base: FileOfScores,
    other: MeasuredFile,
    position: number,
  ): Promise<pairing.MeasuredPair> => {
    const { metric, family } = base
    const score = other.scores.find((candidate) => candidate.metric === metric)
    if (!score) return pairing.withoutFigures(position, 0, 'UNDEFINED_FIGURE')
    const reason = findDifference(score.record, base.record, { sharedImages: true })
    if (reason !== null) return pairing.withoutFigures(position, 0, reason)
    const comparer = comparers.get(family.name) ?? createPairComparer(family)
    comparers.set(family.name, comparer)
    const shared = await comparer(toRows(score, other, position), toRows(base, first, 0))
    if (typeof shared === 'string') return pairing.withoutFigures(position, 0, shared)
    return {
      ...pairing.withoutFigures(position, 0, 'UNDEFINED_FIGURE'),
      ...shared.figures[family.metrics.findIndex(({ name }) => name === metric)],
      higherIsBetter: base.higherIsBetter,
      imageCount: shared.imageIds.length,
    }
  }
  const table: pairing.MeasuredPair[] = []
  for (const base of first.scores) {
    for (const [index, other] of others.entries()) table.push(await compare(base, other, index + 1))
  }
  const judged = pairing.judgeTable(table)
  return new Map(
    first.scores.map(({ metric }, index) => [
      metric,
      [null, ...judged.slice(index * others.length, (index + 1) * others.length)],
    ]),
  )
}

type FileOfScores = MeasuredFile['scores'][number]

function toRows(
  { statistics, family }: FileOfScores,
  { images: imageIds }: MeasuredFile,
  position: number,
): ComparedRows {
  const rows = { imageIds, statistics, layoutRevision: family.layoutRevision }
  return { key: String(position), read: async () => rows }
}
